import type { ChannelEvent } from "../../../src/protocol/index.ts";

type Resource = Readonly<Record<string, unknown>>;

/** Who signs the events of a file, as a connection has it. */
export type Verification = {
  orgId: string;
  creTenantId: string;
  validSigners: readonly string[];
  minRequiredSignatures: number;
};

/** Of offsets of events that should be noticed: what they are part of. All others are ordinary. */
type Labels = Readonly<Record<string, string>>;

/** Events of one channel in a file, in the order of their offsets. A rehearsal of a flow reads it. */
export type EventFile = {
  format: "crec-events";
  version: 1;
  channel: { id: string; name: string };
  /** The base URL of the service. */
  service: string;
  snapshot: {
    networks: readonly Resource[];
    wallets: readonly Resource[];
    channels: ReadonlyArray<{ channel: Resource; watchers: readonly Resource[] }>;
  };
  verification: Verification;
  scenario: { name: string; seed: number; text: string; labels: Labels };
  events: readonly ChannelEvent[];
};
