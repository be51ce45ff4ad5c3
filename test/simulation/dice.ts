// Chance for simulations: the same seed throws the same dice.

import { type Chance, chanceFrom, draw } from '../../src/charger/random.ts';

export class Dice {
  #chance: Chance;

  constructor(...seed: (string | number)[]) {
    this.#chance = chanceFrom(...seed);
  }

  /** From 0 up to, not including, 1. */
  roll(): number {
    const [value, rest] = draw(this.#chance);
    this.#chance = rest;
    return value;
  }

  isLucky(probability: number): boolean {
    return this.roll() < probability;
  }

  whole(least: number, most: number): number {
    return least + Math.floor(this.roll() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.roll() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** As often as the weights say. */
  pickWeighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    const total = items.reduce((sum, { weight }) => sum + weight, 0);
    let rest = this.roll() * total;
    for (const item of items) {
      rest -= item.weight;
      if (rest < 0) return item;
    }
    return this.pick(items);
  }

  /** How long until something happens that happens this often on average. */
  waitS(averageS: number): number {
    return Math.ceil(-Math.log(1 - this.roll()) * averageS);
  }
}
