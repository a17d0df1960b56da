import type { EventConsumer, StartPosition } from "../../../src/index.ts";
import type { CrecMessage } from "../../common/messages/message.ts";
import { nodeError } from "../../common/shared/errors.ts";
import { isTime, timeOf } from "../../common/shared/times.ts";

const COMMANDS = ["pause", "resume", "seek"] as const;
export type Command = (typeof COMMANDS)[number];
type Seekable = Pick<EventConsumer, "seek" | "continueStored">;

/** Carries out what a message asks for: its topic, or else its payload, is the command. */
export function command(consumer: Pick<EventConsumer, Command> & Seekable, msg: CrecMessage): Command {
  const name = COMMANDS.find((name) => name === msg.topic) ?? COMMANDS.find((name) => name === msg.payload);
  if (name === undefined) {
    throw nodeError("UNKNOWN_COMMAND", 'The topic of the message must be "pause", "resume" or "seek".');
  }
  if (name === "pause") consumer.pause();
  else if (name === "resume") consumer.resume();
  else seek(consumer, msg.payload);
  return name;
}

/**
 * Moves a consumer, or with `stored` lets it go on at its cursor though the service has another address.
 * @throws INVALID_FIELD; INVALID_ARGUMENT
 */
export function seek(consumer: Seekable, to: unknown): void {
  if (to === "stored") consumer.continueStored();
  else consumer.seek(positionOf(to));
}

/**
 * Where to go: `now`, `beginning`, an offset, or a time as in all nodes; a number alone is an offset, and
 * `{time: 1780000000}` a time.
 * @throws INVALID_FIELD
 */
export function positionOf(value: unknown): StartPosition {
  if (value === "now" || value === "beginning") return value;
  const offset = typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value;
  if (typeof offset === "number" && Number.isSafeInteger(offset) && offset >= 0) return { offset };
  const given = typeof value === "object" && value !== null && "time" in value ? value.time : value;
  const isGiven = given instanceof Date || (typeof given === "string" && isTime(given)) || given !== value;
  const time = isGiven ? timeOf("time", given, Date.now() / 1000) : undefined;
  if (time !== undefined) return { time };
  throw nodeError(
    "INVALID_FIELD",
    'Say where to go: "now", "beginning", an offset such as 120, or a time such as 2026-01-31T12:00:00Z or 24h ago.',
  );
}
