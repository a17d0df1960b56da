// What `start` and the service say to each other, over the channel between their processes.
import type { ReadyInfo, StartErrorCode } from "./types.ts";

/** Whether it has started, or why it ends. */
export type ToldByService = { ready: ReadyInfo } | { problem: Problem };

export type Problem = { code: StartErrorCode; message: string };

/** The data directory is to be removed at the end, also when `start` cannot do that any more. */
export const TEMPORARY_DATA = "temporary data";

export type OrderToService = typeof TEMPORARY_DATA;
