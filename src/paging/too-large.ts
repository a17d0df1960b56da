import { CrecError } from "../errors.ts";

/** One item that is larger than an answer can be: `EVENT_TOO_LARGE` for an event, `ITEM_TOO_LARGE` for anything else. */
export class TooLargeError extends CrecError {
  override readonly name = "TooLargeError";
  /** Where the item is: its position in a list or search; in a channel, the lowest offset that it can have. */
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

/** Whether an answer was larger than allowed: fewer items may fit. */
export function isAnswerTooLarge(error: unknown): boolean {
  return error instanceof CrecError && error.code === "RESPONSE_TOO_LARGE";
}
