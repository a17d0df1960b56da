import type { Accepted, AlertInput, AlertOutcome, AlertSettings, RaisedAlert } from "../../src/index.ts";
import type { Translate } from "../common/context.ts";
import { type NodeConditions, nodeConditions } from "../common/contracts/conditions.ts";
import { type ContractRegistry, contractRegistry } from "../common/contracts/contract-registry.ts";
import { type ContractRef, contractOf } from "../common/fields/config-nodes.ts";
import type { FlowNodes } from "../common/fields/flow-settings.ts";
import type { Library } from "../common/library.ts";
import { isRedelivered } from "../common/messages/event-message.ts";
import type { CrecMessage } from "../common/messages/message.ts";
import { isTest } from "../common/messages/message.ts";
import { eventOf, idOf, isUnproven, notCounted, sourceOf, subjectOf, timeOf } from "./input/event-facts.ts";
import { amountOf, decimalsAt, keyOf } from "./input/input.ts";
import { type Leaving, passed, type Separate, separateId } from "./outputs/leaving.ts";
import { type AlertContext, type AlertFields, sumOf, textOf } from "./settings.ts";
import { SumProblems } from "./status.ts";
import {
  type AlertContent,
  alertMessage,
  linkOf,
  payloadOf,
  separateMessage,
  told,
  toldOf,
  toldOfLimit,
} from "./texts/message.ts";
import { KnownNames } from "./texts/names.ts";
import type { Facts } from "./texts/template.ts";
import { fieldByPath, oneLine, type ReadField } from "./texts/values.ts";
import type { Worded } from "./texts/words.ts";

/** Counts an input, or only says what would become of it. */
type Accept = (input: AlertInput) => Promise<Accepted>;

type AlertLibrary = Pick<Library, "eventKeyOf" | "fromSmallestUnit" | "parseFieldPath" | "readField">;

type AlertingOptions = {
  settings: AlertSettings;
  library: AlertLibrary;
};

/** Makes alerts of messages: what a message is for a rule, and what people are told. */
export class Alerting {
  readonly #nodes: FlowNodes;
  readonly #registry: ContractRegistry;
  readonly #t: Translate;
  readonly #fields: AlertFields;
  readonly #settings: AlertSettings;
  readonly #conditions: NodeConditions;
  /** What ends an alert, where that is not the opposite of its conditions. */
  readonly #endConditions: NodeConditions | undefined;
  readonly #names: KnownNames;
  readonly #library: AlertLibrary;
  readonly #read: ReadField;
  readonly #sums: SumProblems;
  /** The id of the node. */
  readonly #rule: string;

  constructor(context: AlertContext, { settings, library }: AlertingOptions) {
    const { RED, node, fields } = context;
    this.#nodes = RED.nodes;
    this.#registry = contractRegistry(RED);
    this.#t = context.t;
    this.#library = library;
    this.#read = fieldByPath(library);
    this.#fields = fields;
    this.#settings = settings;
    const { contract, conditions } = fields.settings;
    this.#conditions = nodeConditions(context, { match: fields.choice("match"), conditions, contract });
    const isEach = settings.when.kind === "each" && settings.recovers;
    this.#endConditions =
      isEach && fields.choice("endsWhen") === "conditions"
        ? nodeConditions(context, {
            match: fields.choice("endMatch"),
            conditions: fields.settings.endConditions,
            contract,
          })
        : undefined;
    this.#names = new KnownNames(RED.nodes, this.#registry);
    this.#sums = new SumProblems(node, settings.when);
    this.#rule = node.id;
  }

  /** @throws INVALID_FIELD, VARIABLE_MISSING, CONTRACT_MISSING, ABI_INVALID; what `accept` throws */
  async take(
    msg: CrecMessage,
    { accept, signal }: { accept: Accept; signal: AbortSignal },
  ): Promise<Leaving> {
    const refused = notCounted(msg);
    if (refused) return passed(msg, refused);
    const { matches, reasons } = await this.#conditions.check(msg);
    const ends = matches !== true && (await this.#ends(msg));
    if (matches === undefined && !ends) return passed(msg, "undecided", reasons);
    const key = await keyOf(this.#fields, msg, this.#read);
    if (key === undefined) {
      return passed(msg, matches ? "undecided" : "no_match", matches ? [this.#t("alert.error.no-key")] : []);
    }
    // Only an alert names addresses.
    const nameOf = matches ? await this.#names.load(signal) : this.#names.known;
    const isSum = this.#settings.when.kind === "sum";
    const amount = isSum && matches ? await amountOf(this.#fields, msg, this.#read) : undefined;
    const input = this.#inputOf(msg, {
      key,
      matches: matches === true,
      ends,
      ...(amount === undefined ? {} : { amount }),
    });
    const details = (alert: RaisedAlert) => this.#told(msg, this.#factsOf(msg.payload, alert, nameOf));
    if (isTest(msg) && !this.#fields.flag("allowTest")) {
      if (!matches) return passed(msg, "no_match");
      return this.#leaving(msg, { passed: undefined, outcomes: [tried(input, details)] }, nameOf);
    }
    const accepted = await accept({ ...input, details });
    this.#sums.note(msg, input, accepted.passed);
    if (accepted.passed === "undecided") return passed(msg, "undecided", [this.#withoutSum(input)]);
    return this.#leaving(msg, accepted, nameOf);
  }

  /** Whether a message ends an alert of each event: by what is known of it. */
  async #ends(msg: CrecMessage): Promise<boolean> {
    const { recovers, when } = this.#settings;
    if (!recovers || when.kind !== "each") return false;
    if (this.#endConditions === undefined) return this.#conditions.ends(msg);
    const { rows } = this.#endConditions;
    return rows.length > 0 && (await this.#endConditions.check(msg)).matches === true;
  }

  /** The node is closed. */
  close(): void {
    this.#sums.close();
  }

  /** Why an input adds nothing to a sum. */
  #withoutSum({ amount }: AlertInput): string {
    if (amount !== undefined) return this.#t("alert.error.no-decimals");
    return this.#t("alert.error.no-amount", { field: oneLine(sumOf(this.#fields), 60) });
  }

  /** The messages of outcomes that have no event. */
  async separate(outcomes: readonly AlertOutcome[], signal: AbortSignal): Promise<Separate[]> {
    const nameOf = await this.#names.load(signal);
    return outcomes.map((outcome) => this.#separate(outcome, nameOf));
  }

  #inputOf(msg: CrecMessage, given: Pick<AlertInput, "key" | "matches" | "ends" | "amount">): AlertInput {
    const { when } = this.#settings;
    const id = idOf(msg, this.#library);
    const decimals = when.kind === "sum" ? decimalsAt(this.#registry, msg, this.#contract()) : undefined;
    return {
      ...given,
      // Other conditions say themselves what ends an alert.
      ...(this.#endConditions === undefined ? { subject: subjectOf(msg) } : {}),
      at: timeOf(msg, Date.now()) ?? Number.NaN,
      ...(id === undefined ? {} : { id }),
      ...(decimals === undefined ? {} : { decimals }),
      ...sourceOf(msg),
      ...(isRedelivered(msg) ? { redelivered: true } : {}),
    };
  }

  /** The event itself leaves by exactly one output. */
  #leaving(msg: CrecMessage, { passed: why, outcomes }: Accepted, nameOf: Facts["nameOf"]): Leaving {
    const own = why === undefined ? outcomes.findLast(({ kind }) => kind === "alert") : undefined;
    const at = own === undefined ? outcomes.length : outcomes.indexOf(own);
    const [separate, after] = [outcomes.slice(0, at), outcomes.slice(at + 1)].map((some) =>
      some.map((outcome) => this.#separate(outcome, nameOf)),
    ) as [Separate[], Separate[]];
    if (own?.kind !== "alert") return { ...passed(msg, why ?? "seen"), separate };
    const message = alertMessage(msg, this.#payloadOf(own, nameOf, true), this.#rule);
    const { id, key } = own.alert;
    const alert = { id, key, isOver: own.endedAt !== undefined };
    return { own: { message, output: "alert", alert, isRepeated: own.repeated === true }, separate, after };
  }

  #separate(outcome: AlertOutcome, nameOf: Facts["nameOf"]): Separate {
    const payload = this.#payloadOf(outcome, nameOf, false);
    return {
      id: separateId(outcome),
      outcome,
      message: separateMessage(payload, this.#rule),
      output: outcome.kind === "alert" ? "alert" : "resolved",
    };
  }

  #payloadOf(outcome: AlertOutcome, nameOf: Facts["nameOf"], isOwn: boolean) {
    const { alert } = outcome;
    // Nothing has raised an absence, so nothing was kept for it.
    const said =
      alert.limit === undefined
        ? (toldOf(alert) ?? this.#told(undefined, this.#factsOf(undefined, alert, nameOf)))
        : this.#ofLimit(alert);
    return payloadOf(this.#t, outcome, said, isOwn);
  }

  /** What the form says about messages is about an event, which this is not. */
  #ofLimit(alert: RaisedAlert): AlertContent {
    const severity = this.#fields.choice("severity");
    return toldOfLimit(this.#t, alert, {
      severity,
      name: this.#worded().name,
      maxKeys: this.#settings.maxKeys,
    });
  }

  #told(msg: CrecMessage | undefined, facts: Facts): AlertContent {
    const { settings } = this.#fields;
    const link = linkOf(facts.payload);
    const from = msg && eventOf(msg);
    const telling = {
      title: String(settings.title ?? ""),
      text: String(settings.text ?? ""),
      severity: this.#fields.choice("severity"),
      worded: this.#worded(),
    };
    const more = {
      ...(link ? { link } : {}),
      ...(msg && isUnproven(msg) ? { unproven: true as const } : {}),
      ...(from ? { from } : {}),
    };
    return told(this.#t, telling, facts, more);
  }

  #factsOf(payload: unknown, alert: RaisedAlert, nameOf: Facts["nameOf"]): Facts {
    const { contract = "" } = this.#fields.settings;
    const named = contract && (this.#nodes.getNode(contract)?.name ?? "");
    return {
      payload,
      alert,
      nameOf,
      read: this.#read,
      severity: this.#fields.choice("severity"),
      contract: oneLine(named || "", 60),
      within: "withinMs" in this.#settings.when ? textOf(this.#fields, "within") : "",
      ...this.#sumsOf(alert),
    };
  }

  /** A limit in the smallest unit may be about no tokens at all: then the sum is shown as it is. */
  #sumsOf({ sum, decimals }: RaisedAlert): Pick<Facts, "sum" | "sumTokens"> {
    if (decimals === undefined || sum === undefined) return { sum };
    const sumTokens = this.#library.fromSmallestUnit(sum, decimals);
    return { sum: sumTokens, sumTokens };
  }

  #contract(): ContractRef | undefined {
    const { contract } = this.#fields.settings;
    return contract ? contractOf(this.#nodes, contract) : undefined;
  }

  #worded(): Worded {
    const { settings } = this.#fields;
    const text = (name: "within" | "compared" | "absentFor") => textOf(this.#fields, name);
    return {
      name: oneLine(String(settings.name ?? ""), 100),
      when: this.#settings.when.kind,
      within: text("within"),
      compared: text("compared"),
      absentFor: text("absentFor"),
      sumField: sumWords(this.#fields),
      rows: this.#conditions.rows,
      match: this.#fields.choice("match"),
    };
  }
}

/** As a person calls it: `value` of `params.value`. */
function sumWords(fields: AlertFields): string {
  const text = sumOf(fields);
  return fields.choice("sumFrom") === "field" ? (text.split(".").at(-1) ?? "") : oneLine(text, 60);
}

/** For a test message: the alert that this input can lead to. */
function tried(input: AlertInput, details: (alert: RaisedAlert) => unknown): AlertOutcome {
  const { key, at, amount } = input;
  const alert = {
    id: "test",
    key,
    at: Number.isFinite(at) ? at : Date.now(),
    count: 1,
    suppressed: 0,
    ...(amount === undefined ? {} : { sum: amount }),
  };
  return { kind: "alert", alert: { ...alert, details: details(alert) } };
}
