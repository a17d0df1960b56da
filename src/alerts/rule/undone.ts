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
  alert: RaisedAlert,
  since: number,
): KeyState {
  const { id, at, log } = alert;
  const no = log && state.logs.findAlert(alert);
  const mark = no === undefined ? undefined : state.logs.get(no);
  if (no === undefined || mark === undefined) return state;
  const { alertTimes = [] } = state;
  const undone = alertTimes.lastIndexOf(at);
  const without: KeyState = {
    ...state,
    logs: state.logs.put(no, idOnly(mark)),
    cells: state.cells.free(at).take({ at: mark.at, n: mark.n, sum: BigInt(mark.amount ?? 0) }),
    alertTimes: undone < 0 ? alertTimes : alertTimes.toSpliced(undone, 1),
  };
  if (state.active?.id !== id) return without;
  const { holding = 1, holdsFrom = at } = state;
  const left = at < holdsFrom ? without : { ...without, holding: holding - 1 };
  return isHeldByOthers(settings, left, since) ? left : { ...closed(left), over: { id, at } };
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
