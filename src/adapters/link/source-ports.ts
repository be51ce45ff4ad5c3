// Which local address and port a link is dialled from, when the operator has named source addresses.

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export interface Source {
  readonly localAddress: string;
  readonly localPort: number;
}

const defaultRange: PortRange = { first: 16_384, last: 65_000 };

/**
 * Goes through the addresses in turn, and through the ports of each in order: the search of the system for a free port gets slow long
 * before the ports are used up. Processes that share addresses should begin at different places, hence the random start.
 */
export class SourcePorts {
  readonly #addresses: readonly string[];
  readonly #range: PortRange;
  #next: number;

  constructor(addresses: readonly string[], range: PortRange = defaultRange) {
    this.#addresses = addresses;
    this.#range = range;
    this.#next = Math.floor(Math.random() * addresses.length * this.#portCount);
  }

  take(): Source {
    const count = this.#addresses.length;
    const turn = this.#next;
    this.#next = (turn + 1) % (count * this.#portCount);
    return {
      localAddress: this.#addresses[turn % count] ?? '',
      localPort: this.#range.first + Math.floor(turn / count),
    };
  }

  get #portCount(): number {
    return this.#range.last - this.#range.first + 1;
  }
}
