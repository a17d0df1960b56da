import type { NodeAPI } from "node-red";
import should from "should";
import { contractRegistry, registerContract } from "../../nodes/common/contracts/contract-registry.ts";
import { eventDecoder } from "../../nodes/common/contracts/event-tokens.ts";
import type { ContractNode } from "../../nodes/common/fields/config-nodes.ts";
import { toMessage } from "../../nodes/common/messages/event-message.ts";
import { UnitsNote } from "../../nodes/events-in/status/notes.ts";
import * as library from "../../src/index.ts";
import { TRANSFER_ABI } from "../support/nodes.ts";

const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const OTHER = "0x00000000000000000000000000000000DeaDBeef";
const [HERE, ELSEWHERE] = ["42", "43"];

type Settings = Partial<
  Pick<ContractNode["contract"], "address" | "chainSelector" | "decimals" | "amounts">
> & {
  abi?: string;
};

function contract({ abi: text = TRANSFER_ABI, ...settings }: Settings = {}): ContractNode {
  const abi = library.parseAbi(text);
  const shown = { chainSelector: HERE, address: TOKEN.toLowerCase(), decimals: 6, amounts: [] };
  const reading = { problem: undefined, abi: async () => abi, abiNow: () => abi };
  return { contract: { ...shown, ...reading, ...settings } } as unknown as ContractNode;
}

/** A Node-RED in which these contracts are deployed. */
function deployed(...contracts: ContractNode[]): NodeAPI {
  const RED = { events: {} } as unknown as NodeAPI;
  for (const node of contracts) registerContract(contractRegistry(RED), node);
  return RED;
}

type Sent = { address?: string; chain?: string | null; params?: object; more?: object; type?: string };

function event({ address = TOKEN, chain = HERE, params, more, type = "watcher.event" }: Sent = {}) {
  const signed = {
    name: "Transfer",
    timestamp: "2026-01-31T12:00:00Z",
    ...(chain === null ? {} : { chain_selector: chain }),
    chain_event: { address, params: params ?? { from: OTHER, to: OTHER, value: "1500000" } },
    ...more,
  };
  const verifiable_event = Buffer.from(JSON.stringify(signed)).toString("base64");
  return {
    event_id: "1",
    headers: { type: library.unlisted(type), offset: 1, proofs: [] },
    payload: { watcher_id: "w1", chain_selector: chain ?? HERE, verifiable_event, ...more },
  } as unknown as library.ChannelEvent;
}

/** The payload of a message with an event, in a Node-RED with these contracts. */
function payload(RED: NodeAPI, sent: Sent = {}, chosen?: ContractNode): Record<string, unknown> {
  const choice = chosen && { contract: chosen.contract, abi: chosen.contract.abiNow(library) ?? [] };
  const decoding = { ...library, decodeEvent: eventDecoder(contractRegistry(RED), library, choice) };
  const delivery = {
    event: event(sent),
    offset: 1,
    redelivered: false,
    late: false,
    restored: false,
    attempt: 1,
  };
  return toMessage(delivery, { channelId: "c1" }, decoding).payload as Record<string, unknown>;
}

/** When a message has amounts in tokens, and which. */
describe("the tokens in a message", () => {
  const tokens = (...given: Parameters<typeof payload>) => payload(...given).tokens;

  it("are beside params, where a contract node of the event's address and network has decimals", () => {
    const found = payload(deployed(contract()));
    should(found.params).deepEqual({ from: OTHER, to: OTHER, value: "1500000" });
    should(found.tokens).deepEqual({ value: "1.5" });
    should(Object.keys(found).slice(0, 3)).deepEqual(["name", "params", "tokens"]);
    should(JSON.parse(JSON.stringify(found))).deepEqual(found);
  });

  it("are those of the contract that the node's form names, whether or not others differ", () => {
    const chosen = contract({ decimals: 4 });
    should(tokens(deployed(), {}, chosen)).deepEqual({ value: "150" });
    should(tokens(deployed(contract(), chosen), {}, chosen)).deepEqual({ value: "150" });
  });

  it("are not there for an event of another address, another network, or an unsigned network", () => {
    for (const chosen of [undefined, contract()]) {
      const RED = deployed(contract());
      should(payload(RED, { address: OTHER }, chosen)).not.have.property("tokens");
      should(payload(RED, { chain: ELSEWHERE }, chosen)).not.have.property("tokens");
      const unsigned = payload(RED, { chain: null }, chosen);
      should(unsigned).have.properties({ chainSelector: HERE, chainSelectorUnsigned: true });
      should(unsigned).not.have.property("tokens");
    }
    const another = contract({ address: OTHER });
    should(tokens(deployed(contract()), {}, another)).deepEqual({ value: "1.5" });
  });

  it("are not there without decimals, without amounts, and where two nodes have different decimals", () => {
    should(payload(deployed())).not.have.property("tokens");
    should(payload(deployed(contract({ decimals: undefined })))).not.have.property("tokens");
    should(payload(deployed(contract()), { params: { to: OTHER } })).not.have.property("tokens");
    should(payload(deployed(contract(), contract({ decimals: 18 })))).not.have.property("tokens");
    const plain = contract({ decimals: undefined, abi: "event Approval(address owner)" });
    should(tokens(deployed(plain, contract(), contract()))).deepEqual({ value: "1.5" });
  });

  it("follow the contract nodes that are deployed now", () => {
    const RED = deployed();
    const [before, after] = [contract(), contract({ decimals: 2 })];
    const remove = registerContract(contractRegistry(RED), before);
    should(tokens(RED)).deepEqual({ value: "1.5" });
    remove();
    should(tokens(RED)).be.undefined();
    const removeAfter = registerContract(contractRegistry(RED), after);
    // The close of a node is also called late, or twice.
    remove();
    should(tokens(RED)).deepEqual({ value: "15000" });
    removeAfter();
    should(tokens(RED)).be.undefined();
  });

  it("are of the parameters that the contract names, by the types of any of its ABIs", () => {
    const params = { token_id: "1500000", value: "1500000" };
    const named = contract({ amounts: ["tokenId"] });
    should(tokens(deployed(named), { params })).deepEqual({ token_id: "1.5" });
    const abi = "event Transfer(address from, address to, uint8 value)";
    const typed = contract({ decimals: undefined, abi });
    const untyped = contract({ abi: "event Approval(address owner)" });
    const small = { params: { from: OTHER, to: OTHER, value: 7 } };
    should(tokens(deployed(untyped), small)).deepEqual({ value: "0.000007" });
    should(tokens(deployed(untyped, typed), small)).be.undefined();
  });

  it("cannot be sent along by the sender of an event", () => {
    const forged = { tokens: { value: "1000000" } };
    const RED = deployed(contract());
    should(tokens(deployed(), { more: forged })).be.undefined();
    should(tokens(RED, { more: forged })).deepEqual({ value: "1.5" });
    should(tokens(RED, { params: { tokens: { value: "x" } } })).be.undefined();
    should(payload(RED, { more: forged, type: "watcher.event2" })).have.only.keys("type", "undecoded");
    const unreadable = payload(RED, { more: { ...forged, verifiable_event: "§" } });
    should(unreadable).have.only.keys("type", "undecoded", "reason");
    const status = { ...forged, status: "active", watcher_id: "w", chain_selector: HERE };
    should(payload(RED, { more: status, type: "watcher.status" })).not.have.property("tokens");
  });

  it("are found without a look at the other contracts", () => {
    let looks = 0;
    const others = [...Array(1000).keys()].map((index) => {
      const { contract: ref } = contract({ address: `0x${String(index).padStart(40, "0")}` });
      const node = {
        get contract() {
          looks += 1;
          return ref;
        },
      };
      return node as unknown as ContractNode;
    });
    const RED = deployed(...others, contract());
    looks = 0;
    should(tokens(RED)).deepEqual({ value: "1.5" });
    should(looks).equal(0);
  });
});

describe("the note of missing units", () => {
  it("names a contract of this Node-RED, also after events of very many other contracts", () => {
    const RED = deployed(contract({ decimals: undefined }));
    const note = new UnitsNote(contractRegistry(RED), library);
    const send = (address: string) =>
      note.note({
        ...{ name: "Transfer", params: { value: "1" } },
        ...{ contract: address, chainSelector: HERE },
      } as unknown as library.DecodedEvent);
    for (let number = 0; number < 60; number += 1) send(`0x${number.toString(16).padStart(40, "0")}`);
    send(TOKEN);
    should(note.report()).have.property("noDecimals").with.length(1);
  });
});
