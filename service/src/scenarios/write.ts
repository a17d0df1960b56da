import type { Generated } from "./generate.ts";

/** Characters of a piece: enough that sending it costs little, and so few that writing it takes no time. */
const PIECE = 32 * 1024;

/** The file as JSON, in pieces. An event is signed when the piece that it is in is taken. */
export async function* fileText({ head, events }: Generated): AsyncGenerator<string, void> {
  // Its last member is the list of events.
  let piece = `${JSON.stringify(head).slice(0, -1)},"events":[`;
  let separator = "";
  for await (const event of events) {
    piece += separator + JSON.stringify(event);
    separator = ",";
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  yield `${piece}]}`;
}
