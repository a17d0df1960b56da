import type { RaisedAlert } from "../types.ts";
import { overIn } from "./raise.ts";
import type { KeyState, Mark } from "./state.ts";

/** The state after the log of an alert was undone, as if that had not been: what it used up counts again. */
export function withoutLog(state: KeyState, { id, at, log }: RaisedAlert): KeyState {
  if (log === undefined) return state;
  const isUndone = (mark: Mark) => mark.alert?.id === id;
  if (!state.marks.some(isUndone)) return state;
  const marks = state.marks.map((mark) => (isUndone(mark) ? idOnly(mark) : unused(mark, at)));
  const { alertTimes = [], ...rest } = state.active?.id === id ? overIn(state) : state;
  const undone = alertTimes.lastIndexOf(at);
  return { ...rest, marks, alertTimes: undone < 0 ? alertTimes : alertTimes.toSpliced(undone, 1) };
}

/** So that it does not count when it is delivered again from its old place. Another reading of it is new then. */
function idOnly({ at, id, place, moved }: Mark): Mark {
  return { at, n: 0, ...(id && { id }), ...(place && { place }), ...(moved && { moved }) };
}

function unused(mark: Mark, at: number): Mark {
  if (mark.used !== at) return mark;
  const { used: _used, ...rest } = mark;
  return rest;
}
