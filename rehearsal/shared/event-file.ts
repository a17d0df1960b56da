import type { ChannelEvent } from "../../src/protocol/index.ts";
import type { ServiceSnapshot } from "./job.ts";

/** Events of one channel in a file, in the order of their offsets. JSON. */
export type EventFile = {
  format: "crec-events";
  version: 1;
  channel: { id: string; name: string };
  /** The base URL of the service that the events are of. A flow that writes the file does not know it. */
  service?: string;
  /** Without it, the reader makes one with the channel alone. */
  snapshot?: ServiceSnapshot;
  /** Who signs, as a connection has it. Public. A flow with other settings rejects the events. */
  verification?: {
    orgId?: string;
    workflowOwner?: string;
    creTenantId?: string;
    validSigners: readonly string[];
    minRequiredSignatures: number;
  };
  events: readonly ChannelEvent[];
  /** Of a scenario: what it shows. */
  scenario?: {
    name: string;
    seed: number;
    text: string;
    /** Of offsets of events that are part of what should be noticed: what they are part of. All others are ordinary. */
    labels: Readonly<Record<string, string>>;
  };
};
