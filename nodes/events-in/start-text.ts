import type { Started } from "../common/shared/form-types.ts";

/** Gives a text of the catalog: `RED._`, and in the editor that of a node. */
type Translate = (key: string, values?: Record<string, string | number>) => string;

/** Where a consumer starts, in words that go on from "starts": for the log and the form. */
export function startText(translate: Translate, { position, after }: Started): string {
  if (position === "beginning") return translate("events-in.started.at-beginning");
  if (position === "now") {
    return after < 0
      ? translate("events-in.started.now-empty")
      : translate("events-in.started.now", { after });
  }
  if (position !== undefined && "time" in position) {
    return translate("events-in.started.at-time", { time: timeText(position.time) });
  }
  return translate("events-in.started.at-offset", { offset: after + 1 });
}

/** The same, short, as one of `events-in.status`: a person should see immediately when a cursor was lost. */
export function startedStatus({
  position,
  after,
}: Started): [key: string, values?: Record<string, string | number>] {
  if (typeof position === "object" && "time" in position) {
    return ["started-at-time", { time: timeText(position.time) }];
  }
  return after < 0 ? ["started-at-beginning"] : ["started-after", { after }];
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
