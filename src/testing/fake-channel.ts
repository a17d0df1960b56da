import { randomUUID } from "node:crypto";
import { checksumAddress, readAbi } from "../abi/index.ts";
import { ArgumentError } from "../errors.ts";
import {
  type ChannelEvent,
  type EventPage,
  eventTypeOf,
  KNOWN_CHAINS,
  PAGE_LIMITS,
} from "../protocol/index.ts";
import {
  contractEvent,
  type Fake,
  newWorkflow,
  operationStatus,
  queryAnswer,
  randomHex,
} from "./fake-events.ts";
import { FakeOracles } from "./fake-oracles.ts";
import type { FakeChannel, FakeChannelOptions } from "./types.ts";

const LOCAL_NETWORK = "7759470850252068959";

/**
 * A channel without a service, for tests. Its events are signed by oracles of its own, with fresh keys each time: only a
 * verifier that is given its `verification` accepts them.
 * @throws {ArgumentError} `ABI_INVALID`; `INVALID_ADDRESS`; `INVALID_ARGUMENT` for a network whose chain id is not known.
 * @example
 * const fake = fakeChannel({ abi: "event Moved(address by, uint256 steps)" });
 * const moved = fake.event("Moved", { by: fake.contract, steps: "3" });
 * (await createVerifier(fake.verification).verify(moved)).verified; // → true
 * fake.page("?offset=0").events.length; // → 1
 */
export function fakeChannel(options: FakeChannelOptions): FakeChannel {
  const oracles = new FakeOracles();
  const fake: Fake = {
    abi: readAbi(options.abi).abi,
    contract: checksumAddress(options.contract ?? randomHex(20), "contract"),
    network: networkOf(options),
    channelId: options.channelId ?? randomUUID(),
    ...{
      oracles,
      watcherId: randomUUID(),
      workflowId: newWorkflow(),
      events: [] as ChannelEvent[],
      block: 0,
    },
  };
  const { channelId, contract, network, events } = fake;
  return {
    ...{ channelId, contract, chainSelector: network.chain_selector },
    ...{ verification: oracles.verification, events },
    event: (name, params, details) => contractEvent(fake, { name, params, details }),
    operation: (status, operation) => operationStatus(fake, status, operation),
    query: (params, answer, details) => queryAnswer(fake, { params, answer, details }),
    page: (path) => pageOf(events, path),
  };
}

function networkOf({ chainSelector = LOCAL_NETWORK, chainId }: FakeChannelOptions): Fake["network"] {
  const known = KNOWN_CHAINS.find((chain) => chain.chainSelector === chainSelector)?.chainId;
  const chain_id = chainId ?? known;
  if (chain_id === undefined || !/^\d+$/.test(chain_id))
    throw new ArgumentError(
      "chainId",
      "chainId must be the EVM chain id of the network, as decimal digits: this library does not know the network.",
    );
  return { chain_family: "evm", chain_selector: chainSelector, chain_id };
}

/** A page of events as `GET /channels/{id}/events` answers with it. Of the path, only the query counts. */
function pageOf(events: readonly ChannelEvent[], path = ""): EventPage {
  const query = new URLSearchParams(path.split("?").slice(1).join("?"));
  const [offset, type] = [query.get("offset"), query.get("type")];
  const { max, default: usual } = PAGE_LIMITS.events;
  const limit = Math.min(Number(query.get("limit") ?? usual), max);
  const sorted = events.toSorted((one, other) => one.headers.offset - other.headers.offset);
  const found = sorted.filter(
    (event) =>
      (offset === null || event.headers.offset >= Number(offset)) &&
      (type === null || eventTypeOf(event) === type),
  );
  const ordered = offset === null ? found.reverse() : found;
  return { events: ordered.slice(0, limit), has_more: ordered.length > limit };
}
