import type { Channel, ChannelEvent, Network, Watcher } from "../../../src/protocol/index.ts";
import type { OracleNetwork } from "../oracles/network.ts";

type Resource = Readonly<Record<string, unknown>>;

/** Who signs the events of a file, as a connection has it. */
type Verification = {
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

/** Who the events are signed for. */
export type Account = Pick<Verification, "orgId" | "creTenantId">;

/** A file without its events. */
type Head = Omit<EventFile, "events">;

/** The name of the channel of the example flows. */
export const CHANNEL = "quickstart";

/** What a file says of its events. The channel has the name of that of the example flows, whatever its own. */
export function headOf(of: {
  service: string;
  account: Account;
  oracles: Pick<OracleNetwork, "signers" | "minRequiredSignatures">;
  networks: readonly Network[];
  channel: Channel;
  watchers: readonly Watcher[];
  scenario: EventFile["scenario"];
}): Head {
  const channel = { ...of.channel, name: CHANNEL };
  return {
    ...{ format: "crec-events", version: 1 },
    channel: { id: channel.channel_id, name: channel.name },
    service: of.service,
    snapshot: {
      ...{ networks: of.networks, wallets: [] },
      channels: [{ channel, watchers: of.watchers }],
    },
    verification: {
      ...of.account,
      validSigners: of.oracles.signers,
      minRequiredSignatures: of.oracles.minRequiredSignatures,
    },
    scenario: of.scenario,
  };
}

/** A file without its events, and the events, which are signed one by one as they are taken. */
export type Generated = { head: Head; events: AsyncGenerator<ChannelEvent, void> };

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
