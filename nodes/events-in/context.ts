import type { Node } from "node-red";
import type { FormContext } from "../common/fields/field-reader.ts";
import type { EventsInDef, NODE } from "./fields.ts";
import type { LeaseReading } from "./fleet/read-by-lease.ts";
import type { Reader } from "./reader/reader.ts";

export type EventsInNode = {
  reader?: Reader;
  /** Set where several copies share the cursor. */
  leaseReading?: LeaseReading;
};

/** What the code of one events in works with. */
export type EventsInContext = FormContext<typeof NODE, Node & EventsInNode> & {
  readonly def: EventsInDef;
  /** Of its consumer. */
  readonly name: string;
};
