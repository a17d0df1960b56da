import type { RaisedAlert } from "../../src/index.ts";
import { override } from "../common/messages/details.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isObject } from "../common/shared/is-object.ts";
import type { NamedEvent } from "../common/status/channel-progress.ts";

/** The event that a message came with: what is sent for it waits for its acknowledgement. */
export function eventOf(msg: CrecMessage): NamedEvent | undefined {
  const eventId = override(msg, "eventId");
  if (eventId === undefined) return undefined;
  const offset = msg.crec?.offset;
  return {
    eventId,
    offset: typeof offset === "number" ? offset : undefined,
    channelId: override(msg, "channelId"),
    consumer: override(msg, "consumer"),
    reader: override(msg, "reader"),
  };
}

/** The event that a stored alert was made of. */
export function eventOfAlert({ details }: RaisedAlert): NamedEvent | undefined {
  const event = isObject(details) && isObject(details.from) ? details.from : {};
  const crec = event as CrecMessage["crec"];
  return eventOf({ payload: undefined, crec } as CrecMessage);
}
