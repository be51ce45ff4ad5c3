// What lies between a member and the board where it meets the others, and can be cut.

import type { Board } from '../../src/adapters/lease/board.ts';

export class Cable {
  #isCut = false;

  cut(): void {
    this.#isCut = true;
  }

  mend(): void {
    this.#isCut = false;
  }

  through(board: Board): Board {
    const unlessCut = <Values extends readonly unknown[], Answer>(work: (...values: Values) => Promise<Answer>) => {
      return async (...values: Values): Promise<Answer> => {
        if (this.#isCut) throw new Error('the cable is cut');
        const answer = await work(...values);
        if (this.#isCut) throw new Error('the cable was cut before the answer came');
        return answer;
      };
    };
    return {
      renew: unlessCut((member) => board.renew(member)),
      withdraw: unlessCut((member) => board.withdraw(member)),
      sign: unlessCut((member) => board.sign(member)),
      read: unlessCut(() => board.read()),
      write: unlessCut((table, revision) => board.write(table, revision)),
      listen: (hear) =>
        board.listen((member, sign) => {
          if (!this.#isCut) hear(member, sign);
        }),
    };
  }
}
