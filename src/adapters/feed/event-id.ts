// The ids of events: the life of the feed and a number within it, of a fixed width, so that they sort as texts.

const epochDigits = 6;
const numberDigits = 10;

/** Events are counted from 1: with 0 it is the place before the first of a life. */
export function eventId(epoch: number, number: number): string {
  return `${digits(epoch, epochDigits)}-${digits(number, numberDigits)}`;
}

/** Before all events of all lives: lives are counted from 1. */
export const beginning = eventId(0, 0);

/** What a feed without any history has forgotten: whatever there was before this life of it, and nothing when it is the first. */
export function forgottenBefore(epoch: number): string {
  return epoch <= 1 ? beginning : eventId(epoch, 0);
}

/** A whole id, or a text as good as one. */
export function placeOf(after: string): string {
  return after < beginning ? beginning : after;
}

function digits(value: number, width: number): string {
  return value.toString(36).padStart(width, '0');
}
