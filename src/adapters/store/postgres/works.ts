// A way of writing that is never joined with others.

import type { Session } from '../../postgres/session.ts';
import type { Work } from './write-lane.ts';

export function alone<Content, Answer>(
  write: (session: Session, content: Content) => Promise<Answer>,
  recall?: Work<Content, Answer>['recall'],
): Work<Content, Answer> {
  return {
    batch: () => {
      let count = 0;
      return { add: () => ++count === 1 };
    },
    write: async (session, [content]) => [await write(session, content as Content)],
    ...(recall === undefined ? {} : { recall }),
  };
}
