import type { ChannelEvent } from "../../src/protocol/index.ts";
import type { EventFile } from "../shared/event-file.ts";
import type { Outcome } from "../shared/report.ts";

/** Something in a scenario that a flow should notice. */
type Incident = {
  label: string;
  isNoticed: boolean;
  /** From its first event to the first alert about it, in milliseconds. */
  after?: number;
};

/** How well a flow noticed what is labelled in a scenario. */
export type Recall = {
  incidents: Incident[];
  alerts: number;
  /** Alerts about something ordinary. Further alerts about one incident do not count. */
  falseAlarms: Outcome[];
};

/** Labelled events that belong together, and the silence after the last of them. All times are Unix milliseconds. */
type Labelled = { label: string; offsets: Set<number>; begins: number; silent: { from: number; to: number } };

/**
 * Compares the alerts of a rehearsal with the labels of its events. An alert of an event belongs to the incident that
 * the event is part of. One that only the time led to belongs to an incident if, at that time, the watcher of the
 * incident's last event was silent.
 *
 * The outcomes must be all of the rehearsal: a report that was cut lists fewer.
 */
export function recallOf(file: Pick<EventFile, "events" | "scenario">, outcomes: readonly Outcome[]): Recall {
  const labelled = labelledIn(file);
  const alerts = outcomes.filter(({ kind }) => kind === "alert");
  const about = (alert: Outcome) => labelled.find((incident) => belongs(alert, incident));
  return {
    incidents: labelled.map((incident): Incident => {
      const first = alerts.find((alert) => about(alert) === incident);
      const { label, begins } = incident;
      return { label, isNoticed: first !== undefined, ...(first ? { after: first.at - begins } : {}) };
    }),
    alerts: alerts.length,
    falseAlarms: alerts.filter((alert) => about(alert) === undefined),
  };
}

function belongs({ event, at }: Outcome, { offsets, silent }: Labelled): boolean {
  if (event !== undefined) return offsets.has(event.offset);
  return at > silent.from && at <= silent.to;
}

function labelledIn({ events, scenario }: Pick<EventFile, "events" | "scenario">): Labelled[] {
  const labels = scenario?.labels ?? {};
  return [...new Set(Object.values(labels))].flatMap((label): Labelled[] => {
    const own = events.filter(({ headers }) => labels[headers.offset] === label);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const next = events.find(
      (event) => event.headers.offset > last.headers.offset && watcherOf(event) === watcherOf(last),
    );
    return [
      {
        label,
        offsets: new Set(own.map(({ headers }) => headers.offset)),
        begins: timeOf(first),
        silent: { from: timeOf(first), to: next === undefined ? Number.POSITIVE_INFINITY : timeOf(next) },
      },
    ];
  });
}

function watcherOf({ payload }: ChannelEvent): unknown {
  return (payload as { watcher_id?: unknown }).watcher_id;
}

function timeOf({ created_at = 0 }: ChannelEvent): number {
  return created_at * 1000;
}
