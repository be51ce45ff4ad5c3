// How much this front takes in, and how long it waits.

export const bodyLimitBytes = 8 * 1024 * 1024;
/** A request must have arrived whole within this time. */
export const requestTimeoutMs = 60_000;
/** Path parameters beyond this cannot name anything. */
export const longestParameter = 256;
/** A location may be large; more ids than this in one request are a mistake. */
export const mostTargetIds = 100_000;
/** How long a running charger has to answer a question. */
export const askTimeoutMs = 5_000;
/** How often a command is looked at while somebody waits for its end. */
export const commandPollMs = 50;
export const longestWaitS = 30;
