export {
  type Clock,
  type ClockReading,
  type Random,
  readClocks,
  rfc3339,
  systemClock,
  timeOf,
} from "./clock.ts";
export { LONGEST_TIMER_MS, sleep, yieldToEventLoop } from "./sleep.ts";
