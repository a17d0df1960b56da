import { ADDRESS_FAULTS } from "./address.ts";
import { ANSWER_FAULTS } from "./answers.ts";
import { CONNECTION_FAULTS } from "./connection.ts";
import type { Fault } from "./fault.ts";

export { CLOCK_FAULTS, type ClockFault } from "./clock.ts";
export type { Fault, Struck } from "./fault.ts";

/** All faults between a client and the service. Those of the clock are of the client's own machine. */
export const FAULTS: readonly Fault[] = [...ADDRESS_FAULTS, ...CONNECTION_FAULTS, ...ANSWER_FAULTS];
