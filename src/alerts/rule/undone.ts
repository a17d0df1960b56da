import type { AlertSettings, RaisedAlert } from "../types.ts";
import { closed } from "./incident.ts";
import type { KeyState, Mark } from "./state.ts";
import { endOfReached, isWindowed } from "./window.ts";

/**
 * The state after the log of an alert was undone, as if that had not been: what it used up counts again. The open alert
 * stays open where something else holds it.
 */
export function withoutLog(
  settings: AlertSettings,
  state: KeyState,
  { id, at, log, reminder }: RaisedAlert,
  since: number,
): KeyState {
  if (log === undefined) return state;
  const isUndone = ({ alert }: Mark) => alert?.id === id && alert.reminder === reminder;
  if (!state.marks.some(isUndone)) return state;
  const marks = state.marks.map((mark) => (isUndone(mark) ? idOnly(mark) : unused(mark, at)));
  const { alertTimes = [] } = state;
  const undone = alertTimes.lastIndexOf(at);
  const without: KeyState = {
    ...state,
    marks,
    alertTimes: undone < 0 ? alertTimes : alertTimes.toSpliced(undone, 1),
  };
  if (state.active?.id !== id) return without;
  const left = { ...without, holding: (state.holding ?? 1) - 1 };
  return isHeldByOthers(settings, left, since) ? left : closed(left);
}

function isHeldByOthers(settings: AlertSettings, state: KeyState, since: number): boolean {
  if (settings.recovers && isWindowed(settings)) {
    return endOfReached(settings.when, state, since) !== undefined;
  }
  return Number(state.holding) > 0;
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
