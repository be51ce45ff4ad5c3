// The failures of the product: each has a code that never changes and a sentence for people. Refusals of a charger are values, not these.

export const failureCodes = {
  bad_setting: 'a configuration value is not allowed',
  no_answer: 'the charger did not answer in time',
  process_restarting: 'the process that runs the charger is being restarted',
  not_running: 'the charger is not running',
  store_closed: 'the store is closed',
  store_failed: 'the store could not read or write',
  store_unreachable: 'the database cannot be reached',
  broker_unreachable: 'the message server cannot be reached',
  broker_failed: 'the message server cannot be used',
  fenced: 'another process owns these chargers now',
  receipt_taken: 'a request with this key has been answered before',
  limit_reached: 'a limit of this gateway is reached',
  file_unsupported: 'files cannot be transferred to or from such a location',
  file_denied: 'the file server does not let this charger in',
  file_too_large: 'the file is larger than a charger takes',
  file_failed: 'the file could not be transferred',
  bad_certificate: 'the certificate cannot be read',
} as const;

export type FailureCode = keyof typeof failureCodes;

export class Failure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, sentence: string = failureCodes[code], options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Failure';
    this.code = code;
  }
}

export function isFailure(error: unknown, code?: FailureCode): error is Failure {
  return error instanceof Failure && (code === undefined || error.code === code);
}
