export { type Clock, type ClockReading, elapsedSince, type Random, readClocks, systemClock, timeOf } from "./clock.ts";
export { rfc3339 } from "./rfc3339.ts";
export { LONGEST_TIMER_MS, sleep } from "./sleep.ts";
export { yieldToEventLoop } from "./yield.ts";
