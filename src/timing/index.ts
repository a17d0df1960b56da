export {
  type Clock,
  type ClockReading,
  elapsedSince,
  LONGEST_TIMER_MS,
  type Random,
  readClocks,
  rfc3339,
  sleep,
  systemClock,
  timeOf,
  yieldToEventLoop,
} from "./clock.ts";
