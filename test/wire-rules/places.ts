// Rules of OCPP 1.6 for what can be asked of a connector, by what it was last said to be.

import { isUpToDate, type Json, type Known, openAt } from './listener.ts';
import { ofAnswers, ofCalls, type Rule } from './rule.ts';
import { hasDelay } from './v16.ts';

const agreements = ['Accepted', 'Scheduled', 'Unlocked'];

/** What is asked of a connector. */
const atConnectors: readonly string[] = [
  'ChangeAvailability',
  'ExtendedTriggerMessage',
  'GetCompositeSchedule',
  'RemoteStartTransaction',
  'ReserveNow',
  'SetChargingProfile',
  'TriggerMessage',
  'UnlockConnector',
];

/** How a wish for a reservation is answered, beside Rejected. */
const reserving: Readonly<Record<string, readonly string[]>> = {
  Available: ['Accepted'],
  Reserved: ['Accepted', 'Occupied'],
  Faulted: ['Faulted'],
  Unavailable: ['Unavailable'],
};

/** What a connector shows, where it shows what it is. */
const shownNow = (known: Known, connectorId: number, atMs: number): string | undefined =>
  isUpToDate(known) && !hasDelay(known, atMs) ? known.shown.get(connectorId)?.status : undefined;

export const placeRules: readonly Rule[] = [
  {
    name: 'of a connector that is not there nothing is promised',
    versions: '1.6',
    watch: ofAnswers(atConnectors, ({ connectorId }, answer, known, { call }) => {
      if (typeof connectorId !== 'number' || known.connectors.has(connectorId) || !isUpToDate(known)) return null;
      if (call?.action === 'UnlockConnector' && answer !== null && answer.status !== 'NotSupported') {
        return `connector ${connectorId} is ${answer.status}`;
      }
      return agreements.includes(answer?.status) ? `${call?.action} at connector ${connectorId} is promised` : null;
    }),
  },
  {
    name: 'a remote start is taken only where a transaction can begin, and with a profile of its own only',
    versions: '1.6',
    watch: ofAnswers(['RemoteStartTransaction'], ({ connectorId, chargingProfile }, answer, known, { atMs }) => {
      if (answer?.status !== 'Accepted') return null;
      if (connectorId === 0) return 'at the station';
      const purpose = chargingProfile?.chargingProfilePurpose;
      if (purpose !== undefined && purpose !== 'TxProfile') return `with a ${purpose}`;
      if (connectorId === undefined || !isUpToDate(known)) return null;
      if (openAt(known, connectorId) !== undefined) return 'in a transaction';
      const status = shownNow(known, connectorId, atMs);
      return status === 'Faulted' || status === 'Unavailable' ? `while ${status}` : null;
    }),
  },
  {
    name: 'a wish for a reservation is answered by what the connector is',
    versions: '1.6',
    watch: ofAnswers(['ReserveNow'], ({ connectorId }, answer, known, { atMs }) => {
      const shown = shownNow(known, connectorId, atMs);
      if (shown === undefined || connectorId === 0 || answer === null || answer.status === 'Rejected') return null;
      const wanted = reserving[shown] ?? ['Occupied'];
      return wanted.includes(answer.status) ? null : `${answer.status} while ${shown}`;
    }),
  },
  {
    name: 'a transaction names a reservation that was made',
    versions: '1.6',
    watch: (known) => {
      const made = new Set<number>();
      const heed = ofAnswers(['ReserveNow'], ({ reservationId }: Json, answer) => {
        if (answer?.status === 'Accepted') made.add(reservationId);
        return null;
      })(known);
      const look = ofCalls(['StartTransaction'], ({ reservationId }) =>
        reservationId === undefined || made.has(reservationId) ? null : `nobody has made ${reservationId}`,
      )(known);
      return (word) => heed(word) ?? look(word);
    },
  },
];
