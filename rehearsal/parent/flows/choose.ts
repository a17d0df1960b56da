import { credentialsOf } from "../../../nodes/common/shared/field-rules.ts";
import { NODE as SIGNER } from "../../../nodes/signer/fields.ts";
import { CrecError } from "../../../src/index.ts";
import type { FlowNode } from "../../shared/job.ts";
import type { Note } from "../../shared/report.ts";
import { variablesIn } from "./variables.ts";

/** What of all flows is rehearsed. */
export type ChosenFlows = {
  /** In their order, without credentials. */
  flows: FlowNode[];
  /** The variables that their fields name, sorted: those of the process may be handed over. */
  variables: string[];
  /** What the choice cannot follow, or leaves out. */
  notes: Note[];
};

/**
 * The chosen tabs with all that they need: the tabs that link nodes lead to or come from, the subflows, and the config
 * nodes. What is disabled stays disabled. Credentials are removed, and variables that hold secrets are not named.
 * @throws {CrecError} `TAB_NOT_FOUND`.
 */
export function chooseFlows(all: readonly FlowNode[], tabIds: readonly string[]): ChosenFlows {
  const missing = tabIds.find((id) => !all.some((node) => node.id === id && node.type === "tab"));
  if (missing !== undefined || tabIds.length === 0) throw tabNotFound(missing);
  const chosen = new Choice(all, tabIds).nodes;
  const parts = all.filter((node) => chosen.has(node)).map(splitCredentials);
  const flows = parts.map(({ open }) => open);
  const { variables, withheld } = sorted(parts);
  return { flows, variables, notes: [...flows.flatMap(dynamicLinks), ...withheldNotes(withheld)] };
}

/** Follows from each node to those that it needs, until there are no more. */
class Choice {
  readonly nodes = new Set<FlowNode>();
  readonly #byId: ReadonlyMap<string, FlowNode>;
  readonly #inside = new Map<string, FlowNode[]>();
  /** By link nodes: those at the other ends of their links, whichever end names them. */
  readonly #links = new Map<string, string[]>();

  constructor(all: readonly FlowNode[], tabIds: readonly string[]) {
    this.#byId = new Map(all.map((node) => [node.id, node]));
    for (const node of all) {
      if (node.z !== undefined) append(this.#inside, node.z, node);
      for (const other of linksOf(node)) {
        append(this.#links, node.id, other);
        append(this.#links, other, node.id);
      }
    }
    const next = all.filter(({ id, type }) => tabIds.includes(id) || type === "global-config");
    for (let node = next.pop(); node !== undefined; node = next.pop()) {
      if (this.nodes.has(node)) continue;
      this.nodes.add(node);
      next.push(...this.#neededBy(node));
    }
  }

  #neededBy(node: FlowNode): FlowNode[] {
    const linked = (this.#links.get(node.id) ?? []).flatMap((id) => this.#byId.get(id) ?? []);
    const ids = [
      // A tab or subflow comes with all that is on it.
      ...(isContainer(node) ? (this.#inside.get(node.id) ?? []).map(({ id }) => id) : []),
      ...linked.flatMap(({ id, z }) => (z === undefined ? id : [id, z])),
      ...(node.type.startsWith("subflow:") ? [node.type.slice("subflow:".length)] : []),
    ];
    const configNodes = [...textsIn(node)].filter((id) => id !== node.id && this.#isConfig(id));
    return [...ids, ...configNodes].flatMap((id) => this.#byId.get(id) ?? []);
  }

  #isConfig(id: string): boolean {
    const node = this.#byId.get(id);
    return node !== undefined && !isContainer(node) && node.type !== "group" && !("x" in node && "y" in node);
  }
}

function isContainer({ type }: FlowNode): boolean {
  return type === "tab" || type === "subflow";
}

const LINK_TYPES = new Set(["link in", "link out", "link call"]);

function linksOf({ type, links }: FlowNode): string[] {
  return LINK_TYPES.has(type) && Array.isArray(links) ? links.filter((id) => typeof id === "string") : [];
}

/** All texts in a node, its fields of any depth included. */
function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === "string") found.add(value);
  else if (typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) textsIn(inner, found);
  return found;
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** A name that a credential uses is a secret, also where another field uses it. */
function sorted(parts: ReadonlyArray<ReturnType<typeof splitCredentials>>) {
  const secrets = variablesIn(parts.map(({ secret }) => secret));
  const named = [...variablesIn(parts.map(({ open }) => open))].sort();
  const isSecret = (name: string) => secrets.has(name) || isSecretName(name);
  // What a tab or subflow sets itself is not missing.
  const own = new Set(
    parts
      .flatMap(({ open: { env } }) => (Array.isArray(env) ? env : []))
      .map((entry) => entry?.name as unknown),
  );
  return {
    variables: named.filter((name) => !isSecret(name)),
    withheld: named.filter((name) => isSecret(name) && !own.has(name)),
  };
}

function dynamicLinks({ id, type, linkType }: FlowNode): Note[] {
  if (type !== "link call" || linkType !== "dynamic") return [];
  const text =
    "This link call finds its target by name when a message arrives. Targets on tabs that were not chosen are not found: choose their tabs too.";
  return [{ kind: "not-found", node: id, text }];
}

function withheldNotes(names: readonly string[]): Note[] {
  if (names.length === 0) return [];
  const text = `Not handed over, since they may be secrets: ${names.join(", ")}.`;
  return [{ kind: "variables", text }];
}

function tabNotFound(id: string | undefined): CrecError {
  const message =
    id === undefined
      ? "No tab is chosen. Choose at least one tab to rehearse."
      : `The flows have no tab with the id ${id}. Choose one of their tabs; after an import or a deploy, ids can be different.`;
  return new CrecError("TAB_NOT_FOUND", message);
}

/** The fields that each type keeps apart from the flow. A flow that was written by hand may hold them all the same. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  "crec-connection": ["apiKey"],
  "crec-fleet": ["url", "sentinelPassword"],
  "crec-signer": Object.keys(credentialsOf(SIGNER)),
  "mqtt-broker": ["user", "password"],
  "http request": ["user", "password"],
  "http proxy": ["username", "password"],
  "tls-config": ["certdata", "keydata", "cadata", "passphrase"],
  "e-mail": ["userid", "password"],
};

/** What a secret is usually called. */
const SECRET_NAME = /(?:KEY|PASSWORD|PASSPHRASE|SECRET|TOKEN)$|^CREC_API_KEY/i;

/** Whether a variable holds a secret, judged by its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** A node in two parts: what may be handed over, and its credentials. */
function splitCredentials(node: FlowNode): { open: FlowNode; secret: Record<string, unknown> } {
  const { credentials, ...others } = node;
  const fields = new Set(FIELDS[node.type]);
  const [secret, open]: [Record<string, unknown>, Record<string, unknown>] = [{ credentials }, {}];
  for (const [name, value] of Object.entries(others)) (fields.has(name) ? secret : open)[name] = value;
  if (Array.isArray(node.env)) {
    secret.env = node.env.filter(isCredential);
    open.env = node.env.filter((entry) => !isCredential(entry));
  }
  return { open: open as FlowNode, secret };
}

function isCredential(entry: unknown): boolean {
  return typeof entry === "object" && entry !== null && "type" in entry && entry.type === "cred";
}
