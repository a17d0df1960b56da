import { defaultsOf } from "../../nodes/common/build/registration.ts";
import type { Field, NodeDescription } from "../../nodes/common/shared/fields.ts";
import { FIELD_TABLES } from "../../plugins/monitor/diagnostics/field-tables.ts";
import type { FlowNode } from "./node-red.ts";

const TAB = "every-field-tab";
const SOMEONE = "0x00000000000000000000000000000000000000AA";
const ABI = [
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function transfer(address to, uint256 value) returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
].join("\n");
const CONDITION = { kind: "field", field: "params.value", is: "atLeast", value: "1000", type: "str" };

/** Node-RED's own config nodes that ours refer to. */
const OTHERS: Readonly<Record<string, Record<string, unknown>>> = {
  "tls-config": {
    ...{ name: "kept", cert: "", key: "", ca: "", certname: "", keyname: "", caname: "" },
    ...{ servername: "kept.example", verifyservercert: true, alpnprotocol: "" },
  },
  "http proxy": { name: "kept", url: "http://127.0.0.1:9", noproxy: ["kept.example"] },
};

const idOf = (type: string) => `every-field-${type.replaceAll(" ", "-")}`;

/** Values of fields that have a check, or a shape of their own: by name, or by type and name. */
const VALUES: Readonly<Record<string, unknown>> = {
  baseUrl: "${CREC_BASE_URL}",
  graphqlUrl: "${CREC_GRAPHQL_URL}",
  keyEnds: "2030-01-31",
  workflowOwner: SOMEONE,
  validSigners: SOMEONE,
  minRequiredSignatures: "1",
  families: [
    { family: "zone-b", validSigners: SOMEONE, minRequiredSignatures: "1", orgId: "org_b", creTenantId: "2" },
  ],
  chainSelector: "7759470850252068959",
  address: SOMEONE,
  owner: SOMEONE,
  abi: ABI,
  decimals: "6",
  amounts: "value",
  configuration: '{"policy": 1}',
  conditions: [CONDITION],
  endConditions: [CONDITION],
  sumValue: "payload.params.value",
  "crec-alert.limit": "12.5",
  within: "15m",
  compared: "12h",
  absentFor: "2h",
  quiet: "30m",
  confirmWithin: "2h",
  slack: "3m",
  pollMax: "60",
  startValue: "2026-01-31T12:00:00Z",
  "crec-events-in.start": "time",
  sentinels: "127.0.0.1:9",
  namespace: "kept",
  store: "memoryOnly",
  region: "eu-central-1",
  vaultUrl: "https://vault.example.com:8200",
  vaultKey: "kept-key",
  vaultNamespace: "kept/team",
  vaultMount: "transit2",
  vaultLoginMount: "login2",
  fireblocksUrl: "https://sandbox-api.fireblocks.io",
  derivationPath: "44/60/0/0/1",
  privyUrl: "https://privy.example.com",
  endpoint: "https://kms.example.com",
  remoteUrl: "https://signer.example.com:9000",
  remoteIdentifier: "kept-key",
  remoteAccount: SOMEONE,
  publicKey: { e: "0x10001", n: `0x${"c5".repeat(256)}` },
  "crec-run-query.kind": "contract",
  call: {
    function: "balanceOf(address)",
    args: [{ value: SOMEONE, type: "str" }],
  },
  "crec-submit-operation.source": "form",
  calls: [
    {
      kind: "contract",
      contract: idOf("crec-contract"),
      function: "transfer(address,uint256)",
      args: [
        { value: SOMEONE, type: "str" },
        { value: "1.5", type: "str", unit: "token" },
      ],
      amount: { value: "", type: "str" },
    },
  ],
  contract1: idOf("crec-contract"),
  draftOf: idOf("crec-submit-operation"),
};

const NOT_OF_CONTRACTS = Object.fromEntries(
  ["statuses", "operation", "walletOperation", "query", "wallet"].flatMap((name) => [
    [name, ""],
    [`${name}Type`, "str"],
  ]),
);

/** For nodes whose forms show other fields for each choice: one node for each of these, besides the first. */
const VARIANTS: Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>> = {
  "crec-signer": [
    // The form derives both from the key, which an export does not have.
    ...["local", "local-rsa"].map((kind) => ({ kind, address: "", publicKey: "" })),
    ...["aws-kms", "fireblocks", "privy", "remote"].map((kind) => ({ kind })),
  ],
  "crec-submit-operation": [{ source: "message" }],
  "crec-run-query": [{ kind: "raw" }],
  // No type of event has all fields that can be searched for: the first node is marked as wrong.
  "crec-search-events": [{ types: ["watcher.event"], ...NOT_OF_CONTRACTS }],
  "crec-alert": [{ when: "count" }, { when: "sum" }, { when: "rate" }, { when: "each" }],
};
/** What the first node of a type has chosen where that is not the last choice. */
const CHOSEN: Readonly<Record<string, Record<string, unknown>>> = {
  "crec-signer": { kind: "vault", vaultLogin: "approle" },
};

/** One node of each type, and of some types several, with no field as a new node has it. */
export function flowOfEveryField(): FlowNode[] {
  const nodes = [...FIELD_TABLES.values()].flatMap((node) => {
    const settings = { ...settingsOf(node), ...CHOSEN[node.type] };
    const variants = (VARIANTS[node.type] ?? []).map((variant) => ({ ...settings, ...variant }));
    return [settings, ...variants].map((all, index) => ({
      id: `${idOf(node.type)}${index === 0 ? "" : `-${index + 1}`}`,
      type: node.type,
      ...all,
      ...(node.icon === undefined ? {} : { z: TAB, wires: (node.outputs ?? [""]).map(() => []) }),
    }));
  });
  const drawn = nodes.filter((node) => "z" in node);
  return [
    { id: TAB, type: "tab", label: "Every field" },
    ...Object.entries(OTHERS).map(([type, settings]) => ({ id: idOf(type), type, ...settings })),
    ...nodes.map((node) => {
      const place = drawn.indexOf(node);
      return place < 0 ? node : { ...node, x: 160 + 260 * (place % 4), y: 80 + 80 * Math.floor(place / 4) };
    }),
  ];
}

/** The properties of a type that no node of these has with another value than a new node. */
export function propertiesAtDefault(flows: readonly FlowNode[], node: NodeDescription): string[] {
  const defaults = defaultsOf(node) as Record<string, { value: unknown }>;
  const ofType = flows.filter(({ type }) => type === node.type);
  // Of the many places for contracts of calls, one is filled for each call.
  return Object.keys(defaults)
    .filter((name) => name !== "version" && !/^contract([2-9]|\d\d)$/.test(name))
    .filter((name) => {
      const usual = JSON.stringify(defaults[name]?.value);
      return ofType.every(({ [name]: value }) => value === undefined || JSON.stringify(value) === usual);
    });
}

function settingsOf(node: NodeDescription): Record<string, unknown> {
  const defaults = defaultsOf(node) as Record<string, { value: unknown }>;
  const settings = Object.entries(node.fields).flatMap(([name, field]) => {
    if (!(name in defaults)) return [];
    const given = VALUES[`${node.type}.${name}`] ?? VALUES[name];
    if (field.kind !== "typed") return [[name, given ?? otherThanDefault(name, field)] as const];
    const type = field.types?.[1] ?? "msg";
    return [
      [name, type === "json" ? '["kept","both"]' : `payload.${name}`] as const,
      [`${name}Type`, type] as const,
    ];
  });
  return { ...Object.fromEntries(settings), version: node.version };
}

function otherThanDefault(name: string, field: Field): unknown {
  switch (field.kind) {
    case "text":
      return `kept ${name}`;
    case "number":
      return String(Math.max(Number(field.default) + 1, Math.ceil(field.least) + 1));
    case "boolean":
      return field.numeric ? Number(!field.default) : !field.default;
    case "select":
      return field.options.findLast((option) => option !== field.default);
    case "list":
      return field.options.slice(1, 3);
    case "config":
      return idOf(field.type);
    case "hidden":
      return field.default;
    default:
      throw new Error(
        `Add a value of ${name} to test/support/every-field.ts: nothing is known of its shape.`,
      );
  }
}
