import type { Form, Typed } from "./editor-form.ts";

/** Sensible settings of one node type, as a person would fill in its form. Config nodes are chosen by the tests. */
export type Row = {
  /** What is typed, chosen or ticked, by property and in this order. */
  typed: Record<string, Typed>;
  /** What is only wrong beside other fields, so that no value of its own can be tried. */
  judgedTogether?: readonly string[];
  /** The part that a form builds itself: how a person fills it in, and what is then stored. */
  built?: { by(form: Form): Promise<void>; stored: Record<string, unknown> };
};

/** A key that no test may find in anything that leaves the editor. */
export const SECRETS = {
  apiKey: "test-secret-that-must-not-leave",
  privateKey: `0x${"5ec7e7".repeat(10)}0001`,
  password: "test-password-that-must-not-leave",
} as const;

const ABI = [
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
].join("\n");
const SOMEONE = "0x00000000000000000000000000000000000000AA";

/** Only for node types whose defaults are not enough: those that need a value, or that a test fills in. */
const ROWS: Readonly<Record<string, Row>> = {
  "crec-connection": {
    typed: {
      name: "local service",
      baseUrl: "${CREC_BASE_URL}",
      graphqlUrl: "${CREC_GRAPHQL_URL}",
      apiKey: "${CREC_API_KEY}",
      orgId: "${CREC_ORG_ID}",
      creTenantId: "${CREC_TENANT_ID}",
      validSigners: "${CREC_VALID_SIGNERS}",
      minRequiredSignatures: "${CREC_MIN_SIGNATURES}",
      timeout: "20",
    },
    built: {
      by: async (form) => {
        await form.unfold("Other oracle families");
        await form.root.getByText("Add a family").click();
        await form.fillLabelled("Family", "zone-b");
        const set = form.root.locator(".red-ui-editableList li");
        await set.getByLabel("Signers").fill(SOMEONE);
        await set.getByLabel("Threshold").fill("1");
      },
      stored: {
        families: [
          {
            family: "zone-b",
            validSigners: SOMEONE,
            minRequiredSignatures: "1",
            orgId: "",
            creTenantId: "",
          },
        ],
      },
    },
  },
  "crec-signer": {
    typed: { name: "test key", privateKey: SECRETS.privateKey },
    // The form asks which address that is, and shows it.
    built: { by: (form) => form.settled("address", /^0x[0-9a-fA-F]{40}$/), stored: {} },
  },
  "crec-wallet": {
    typed: {
      name: "test wallet",
      chainSelector: "${CREC_CHAIN_SELECTOR}",
      wallet: "quickstart",
      configuration: '{"policy": 1}',
    },
  },
  "crec-channel": { typed: { channel: "quickstart", createMissing: true } },
  "crec-contract": {
    typed: {
      name: "demo token",
      chainSelector: "${CREC_CHAIN_SELECTOR}",
      address: "${CREC_TOKEN_ADDRESS}",
      abi: ABI,
    },
  },
  "crec-fleet": {
    typed: {
      name: "copies",
      // Nothing listens there.
      url: `redis://:${SECRETS.password}@127.0.0.1:9`,
      servers: "sentinel",
      sentinels: "127.0.0.1:9",
      master: "mymaster",
      sentinelPassword: SECRETS.password,
      lease: "10",
      namespace: "demo",
    },
  },
  "crec-events-in": {
    typed: {
      name: "transfers",
      consumer: "test-transfers",
      start: "beginning",
      contractEvent: "Transfer",
      confidence: "latest",
      commit: "on-ack",
      ackTimeout: "90",
      skipOlder: "3600",
      pollMax: "20",
    },
  },
  "crec-ack": { typed: { action: "reject", reason: { type: "msg", value: "payload.reason" } } },
  "crec-verify-event": { typed: { name: "verify", event: { type: "msg", value: "crec.event" } } },
  "crec-create-watcher": {
    typed: { watcherName: "transfers", source: "contract", events: "Transfer", timeout: "120" },
  },
  "crec-submit-operation": {
    typed: { name: "send one token", source: "form", waitFor: "confirmed", deadline: "10", follow: true },
    built: {
      by: async (form) => {
        await form.choose("demo token");
        await form.choose("transfer(address,uint256)");
        await form.fillLabelled(/^to \(/, SOMEONE);
        await form.fillLabelled(/^value \(/, "1000000000000000000");
      },
      stored: {
        calls: [
          {
            kind: "contract",
            function: "transfer(address,uint256)",
            args: [
              { value: SOMEONE, type: "str" },
              { value: "1000000000000000000", type: "str" },
            ],
            amount: { value: "", type: "str" },
          },
        ],
      },
    },
  },
  "crec-operation": { typed: { name: "look at it" } },
  "crec-run-query": {
    typed: { name: "read balance", kind: "contract", block: "finalized", timeout: "90" },
    built: {
      by: async (form) => {
        await form.choose("balanceOf(address)");
        await form.fillLabelled(/^account \(/, SOMEONE);
      },
      stored: {
        call: { function: "balanceOf(address)", args: [{ value: SOMEONE, type: "str" }] },
      },
    },
  },
  "crec-search-events": {
    typed: { name: "what happened" },
    // Whether a filter applies hangs on the types that are ticked.
    judgedTogether: [
      "watcher",
      "contractEvent",
      "address",
      "service",
      "operation",
      "walletOperation",
      "query",
      "wallet",
      "network",
    ],
  },
  "crec-alert": {
    typed: {
      name: "large transfers",
      match: "any",
      when: "count",
      times: "2",
      within: "5m",
      forEach: "field",
      forEachField: "params.to",
      quiet: "1h",
      text: "{{params.value}} to {{params.to}}",
    },
    built: {
      by: async (form) => {
        await form.choose("value (uint256)");
        await form.fillLabelled("condition 1: value", "1000");
      },
      stored: {
        conditions: [{ kind: "field", field: "params.value", is: "atLeast", value: "1000", type: "str" }],
      },
    },
  },
  "crec-manage": {
    typed: {
      action: "channels.rename",
      target: "quickstart",
      newName: { type: "msg", value: "payload.name" },
    },
  },
  "crec-account": { typed: { name: "who am I" } },
  "crec-api": {
    typed: { name: "faucet", method: "POST", path: "/local/faucet", body: { type: "msg", value: "payload" } },
  },
};

/** The settings of a node type. Without a row of its own, a form stays as it opens. */
export function rowOf(type: string): Row {
  return ROWS[type] ?? { typed: {} };
}
