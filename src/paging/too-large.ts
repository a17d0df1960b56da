import { CrecError } from "../errors.ts";

/**
 * One item that no answer can hold: `EVENT_TOO_LARGE` of an event, `ITEM_TOO_LARGE` of anything else. `offset` is where
 * it lies, as the call that failed counts: the place in a list or a search, the lowest possible offset in a channel.
 */
export class TooLargeError extends CrecError {
  override readonly name = "TooLargeError";
  readonly offset: number | undefined;

  constructor(
    code: "EVENT_TOO_LARGE" | "ITEM_TOO_LARGE",
    message: string,
    details: { offset: number | undefined; cause: unknown; retryable?: boolean },
  ) {
    super(code, message, details);
    this.offset = details.offset;
  }
}

/** Whether an answer was larger than allowed: asking for fewer items may help. */
export function isAnswerTooLarge(error: unknown): boolean {
  return error instanceof CrecError && error.code === "RESPONSE_TOO_LARGE";
}
