import { loadLibrary } from "../common/library.ts";

/** Instead of a start with new events, which would skip all events since the cursor was stored. */
export async function cursorLost(place: string): Promise<Error> {
  const { CrecError } = await loadLibrary();
  return new CrecError(
    "CURSOR_LOST",
    `The cursor is missing, although this consumer has run here before. No event is sent, and none is skipped, until you choose where to continue: press Move cursor in the form, send a message with the topic seek, or set Start to anything but new events and deploy. To continue where it was, restore the cursor from a backup and deploy. It was expected in ${place}`,
  );
}
