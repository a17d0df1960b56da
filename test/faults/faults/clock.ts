/** The clock of the machine on which the client runs, in milliseconds from the right time. */
export type ClockFault = { name: string; offMs: number };

const HOUR_MS = 3_600_000;

export const CLOCK_FAULTS: readonly ClockFault[] = [
  { name: "clock an hour ahead", offMs: HOUR_MS },
  { name: "clock an hour behind", offMs: -HOUR_MS },
];
