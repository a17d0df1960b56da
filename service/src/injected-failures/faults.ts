import { CountedList } from "./counted-list.ts";

export const FAULT_ACTIONS = ["status", "delay", "reset", "drop_answer", "truncate"] as const;

/**
 * What goes wrong with the next `times` calls that match. `status`: the answer is this status, immediately. `delay`: the
 * call waits `delayMs` and then continues. `reset`: the connection is cut before anything is done. `drop_answer`:
 * everything is done, then the connection is cut without an answer. `truncate`: everything is done, then half of the
 * answer is sent.
 */
export type Fault = {
  action: (typeof FAULT_ACTIONS)[number];
  times: number;
  match?: { method?: string; path?: string };
  status?: number;
  delayMs?: number;
  headers?: Record<string, string>;
  body?: string;
};

/** Faults that wait for their calls. */
export class Faults extends CountedList<Fault> {
  /** The fault of this call, counted. `path` matches as a part of the call's path. */
  take(method: string, path: string): Fault | undefined {
    return this.takeFirst(
      ({ match }) =>
        (match?.method === undefined || match.method.toUpperCase() === method) &&
        path.includes(match?.path ?? ""),
    );
  }
}
