/** How late and how inexact the service may be, as far as this client bridges it. */

/** Milliseconds for which the service may answer 404 about what it has created, and leave it out of lists. */
export const SHOWN_WITHIN_MS = 30_000;
/** Milliseconds by which the clocks of two machines may differ. */
export const MAX_CLOCK_SKEW_MS = 60_000;
