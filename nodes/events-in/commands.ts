import type { EventConsumer, StartPosition } from "../../src/index.ts";
import { nodeError } from "../lib/errors.ts";
import type { CrecMessage } from "../lib/input.ts";

const COMMANDS = ["pause", "resume", "seek"] as const;
export type Command = (typeof COMMANDS)[number];

/** Carries out what a message asks for: its topic, or else its payload, is the command. */
export function command(consumer: EventConsumer, msg: CrecMessage): Command {
  const wanted = COMMANDS.find((name) => name === msg.topic) ?? COMMANDS.find((name) => name === msg.payload);
  if (wanted === undefined) {
    throw nodeError("UNKNOWN_COMMAND", 'The topic of the message must be "pause", "resume" or "seek".');
  }
  if (wanted === "pause") consumer.pause();
  else if (wanted === "resume") consumer.resume();
  else consumer.seek(positionOf(msg.payload));
  return wanted;
}

/** A date first: left to itself, `Date.parse` finds a year in "-5" and in "offset 12". */
const TIME = /^\d{4}-\d\d/;

/**
 * Where to go: `now`, `beginning`, an offset, or a time that begins with a date such as 2026-01-31.
 * @throws INVALID_FIELD
 */
export function positionOf(value: unknown): StartPosition {
  if (value === "now" || value === "beginning") return value;
  const offset = typeof value === "string" && /^\d+$/.test(value.trim()) ? Number(value) : value;
  if (typeof offset === "number" && Number.isSafeInteger(offset) && offset >= 0) return { offset };
  const time = typeof value === "string" && TIME.test(value.trim()) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return { time: Math.floor(time / 1000) };
  throw nodeError(
    "INVALID_FIELD",
    'Say where to go: "now", "beginning", an offset such as 120, or a time such as 2026-01-31T12:00:00Z.',
  );
}
