import { OPERATION_STATUSES, WALLET_STATUSES, WATCHER_STATUSES } from "../../../src/protocol/index.ts";
import { BoundedValues } from "./exposition/bounded-values.ts";
import { ENDPOINTS, METHODS, REJECTION_REASONS } from "./known-values.ts";

/** More than the readers, connections or checks of any installation that we know of. */
const MOST_CONSUMERS = 1_000;
const MOST_CONNECTIONS = 100;
const MOST_CHECKS = 100;
/** A service sends them. */
const MOST_HTTP_STATUSES = 30;
const MOST_ERROR_CODES = 100;

/** `signing`, before an operation is sent, is a status of the nodes only. */
const SIGNING = "signing";

/** What the labels may be. All metrics share it, so that a consumer that has become "other" is so in all of them. */
export class Bounds {
  readonly consumer = new BoundedValues({ most: MOST_CONSUMERS });
  readonly connection = new BoundedValues({ most: MOST_CONNECTIONS });
  readonly node = new BoundedValues({ most: MOST_CONNECTIONS });
  readonly check = new BoundedValues({ most: MOST_CHECKS });
  readonly httpStatus = new BoundedValues({ most: MOST_HTTP_STATUSES });
  readonly errorCode = new BoundedValues({ most: MOST_ERROR_CODES });
  readonly reason = new BoundedValues({ known: REJECTION_REASONS });
  readonly endpoint = new BoundedValues({ known: ENDPOINTS });
  readonly method = new BoundedValues({ known: METHODS });
  readonly operationStatus = new BoundedValues({ known: [SIGNING, ...OPERATION_STATUSES] });
  readonly watcherStatus = new BoundedValues({ known: WATCHER_STATUSES });
  readonly walletStatus = new BoundedValues({ known: WALLET_STATUSES });
}
