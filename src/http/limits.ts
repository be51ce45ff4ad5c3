// How much this front takes in, and how long it waits.

export const bodyLimitBytes = 8 * 1024 * 1024;
/** Objects and lists within each other. */
export const deepestBody = 64;
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
/** How long the fleet has to tell how it is doing, and the gateway whether it is ready. */
export const censusTimeoutMs = 2_000;
export const readinessTimeoutMs = 3_000;
/** Clocks of other machines may be off by this much: so long is a token good before and after its time. */
export const clockToleranceS = 30;
/** Tenants whose requests are counted at the same time, when there is a rate limit. */
export const mostCountedTenants = 10_000;
/** How long browsers may keep the drawings, and the leave to call from another origin. */
export const imageMaxAgeS = 86_400;
export const preflightMaxAgeS = 600;
/** How long one charger has to stop before it is deleted, and how long all chargers of a location or an operator have together. */
export const stopTimeoutMs = 5_000;
export const stopAllTimeoutMs = 10_000;
/** Event streams that one tenant may have open at the same time. */
export const mostStreams = 100;
/** So many events are read for a stream in one go. */
export const streamPageSize = 100;
/** And hardly more than so many characters are written before the client has taken them. */
export const streamPieceLength = 65_536;
/** A stream that is quiet for so long is given something to carry, so that proxies do not take it for dead. */
export const heartbeatMs = 15_000;
/** A client that takes nothing for so long is let go, after which the connection has a little time to end by itself. */
export const streamStallMs = 30_000;
export const streamEndMs = 5_000;
/** How long clients wait before they connect again. */
export const streamRetryMs = 2_000;
/** Webhooks of one tenant. */
export const mostWebhooks = 100;
/** Starting and stopping is answered soon, whether or not the charger tells how it is. */
export const runtimeAskTimeoutMs = 1_000;
