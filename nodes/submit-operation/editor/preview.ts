import type { ConfigNode, EditedNode } from "../../common/editor/api.ts";
import { partOf } from "../../common/editor/form-fields.ts";
import { inputOf } from "../../common/editor/form-rows.ts";
import { postJson, requestFailure } from "../../common/editor/lookups/admin-requests.ts";
import { onNodeChange } from "../../common/editor/while-open.ts";
import type { CallDef } from "../../common/shared/stored-values.ts";
import { NODE } from "../fields.ts";
import type {
  ContractText,
  Preview,
  PreviewedCall,
  PreviewedDigest,
  PreviewedValue,
  PreviewRequest,
  WalletText,
} from "../preview-types.ts";
import { askDecimals, say, warnOfTargets } from "./targets.ts";

const BOX = {
  padding: "8px",
  border: "1px solid var(--red-ui-secondary-border-color)",
  "border-radius": "4px",
};

/** A button that shows what the operation in the form would do, and what would be signed. */
export function previewForm(node: EditedNode, calls: () => CallDef[]): void {
  const text = (key: string, values?: Record<string, unknown>) =>
    node._(`submit-operation.preview.${key}`, values);
  const result = partOf(NODE, "preview-result").css({ "max-width": "none", "margin-left": "0" });
  // The form is longer than the screen, and the button may be at its lower edge.
  const bringIntoView = (): void => result.get(0)?.scrollIntoView({ block: "nearest" });
  const source = inputOf("source");
  // Beside the button that adds a call.
  const place = (): void => {
    const isBeside = source.val() !== "message";
    partOf(NODE, "preview-row").css("margin-top", isBeside ? "-32px" : "");
  };
  partOf(NODE, "preview").addClass("red-ui-button-small").css("margin-left", "170px");
  source.on("change", place);
  place();
  let newest = 0;
  /** What was asked for the current preview, and the ids of the config nodes that it depends on. */
  let current: { asked: string; used: ReadonlySet<string> } | undefined;
  const outdate = (): void => {
    if (!current) return;
    current = undefined;
    newest += 1;
    result.empty().text(text("stale"));
  };
  partOf(NODE, "preview").on("click", async () => {
    newest += 1;
    const number = newest;
    const body = request(calls());
    current = { asked: JSON.stringify(body), used: usedIn(body) };
    result.empty().css(BOX).text(text("asking"));
    bringIntoView();
    const asked: Parameters<typeof askDecimals>[3]["asked"] = new Map();
    const show = async (): Promise<void> => {
      const answer = await postJson<Preview>("crec/operation/preview", body).catch((failure: unknown) => ({
        problem: requestFailure(node, failure, "crec.read"),
      }));
      // The button was pressed again, or the form has changed.
      if (number !== newest) return;
      result.empty();
      if (answer.problem !== undefined) {
        result.append(problemLine(answer.problem));
        bringIntoView();
        return;
      }
      const list = callsIn(text, answer.calls);
      for (const [index, { unusual }] of answer.calls.entries()) {
        if (unusual)
          say(list.children().eq(index), "error", node._(`common.unusual.${unusual.recipient}`, unusual));
      }
      result.append(list, digestIn(text, answer));
      bringIntoView();
      const { channel } = body;
      if (await askDecimals(node, list.children(), answer.calls, { channel, asked })) await show();
      else await warnOfTargets(node, list.children(), answer.calls, body.wallet ?? {});
    };
    await show();
  });
  // Fields that the form itself fills in later, such as those of a function, report changes, too.
  $("#dialog-form").on("change input", () => {
    if (current && JSON.stringify(request(calls())) !== current.asked) outdate();
  });
  // Config nodes are edited in forms of their own.
  onNodeChange(result, ({ id }) => {
    if (current?.used.has(id)) outdate();
  });
}

type Text = (key: string, values?: Record<string, unknown>) => string;

/** With the settings of the config nodes, since they may not be deployed yet, and without credentials. */
function request(calls: CallDef[]): PreviewRequest {
  const value = (name: string) => String(inputOf(name).val() ?? "");
  const used = calls.flatMap((call) => (call.kind === "contract" && call.contract ? [call.contract] : []));
  const contracts = used.map((id) => [id, contractText(RED.nodes.node(id))] as const);
  const wallet = RED.nodes.node(value("wallet"));
  return {
    source: value("source"),
    channel: value("channel"),
    calls,
    transactions: value("transactions"),
    transactionsType: value("transactionsType"),
    contracts: Object.fromEntries(contracts),
    ...(wallet ? { wallet: walletText(wallet) } : {}),
    deadline: value("deadline"),
  };
}

function contractText(node: ConfigNode | null): ContractText {
  const text = (name: string) => String(node?.[name] ?? "");
  return {
    name: text("name"),
    chainSelector: text("chainSelector"),
    address: text("address"),
    abi: text("abi"),
    decimals: text("decimals"),
    amounts: text("amounts"),
  };
}

function walletText(node: ConfigNode): WalletText {
  const text = (name: string) => String(node[name] ?? "");
  return {
    id: node.id,
    chainSelector: text("chainSelector"),
    wallet: text("wallet"),
    connection: text("connection"),
  };
}

function usedIn({ channel = "", contracts = {}, wallet = {} }: PreviewRequest): ReadonlySet<string> {
  return new Set([...Object.keys(contracts), channel, wallet.id ?? "", wallet.connection ?? ""]);
}

function callsIn(text: Text, calls: readonly PreviewedCall[]): JQuery {
  const list = $("<ol>").css({ margin: "0 0 8px 24px" });
  for (const call of calls) list.append(callIn(text, call));
  return list;
}

function callIn(text: Text, call: PreviewedCall): JQuery {
  const item = $("<li>").css("margin-bottom", "6px");
  const isPayment = !call.signature && call.data?.text === "0x";
  const title = call.signature
    ? text("call", { function: call.signature, contract: call.contract ?? "" })
    : text(isPayment ? "payment" : "raw");
  $("<div>").css("font-weight", "bold").text(title).appendTo(item);
  if (call.problem) item.append(problemLine(call.problem));
  const rows = pairs().appendTo(item);
  const row = (name: string, value: PreviewedValue) => rows.append(pair(text, name, value));
  row(text("target"), call.to);
  if (call.implementation) row(text("implementation"), { text: call.implementation });
  for (const { name, type, ...value } of call.args ?? []) row(`${name} (${type})`, value);
  if (!call.signature && call.data && !isPayment) row(text("data"), call.data);
  if (call.amount.text !== "0") row(text("value"), call.amount);
  return item;
}

/** Names beside their values. */
function pairs(): JQuery {
  return $("<dl>").css({
    display: "grid",
    "grid-template-columns": "fit-content(35%) minmax(0, 1fr)",
    gap: "0 12px",
    margin: "0",
  });
}

function pair(
  text: Text,
  name: string,
  { text: words, unit, smallest, larger, typed, later, problem }: PreviewedValue,
): JQuery {
  const parts = [words];
  if (unit) parts.push(text(`unit.${unit}`, counted(words)));
  if (smallest) parts.push(text(unit === "token" ? "smallest" : "in-wei", { amount: smallest }));
  if (larger)
    parts.push(
      text("larger", { amount: larger.text, unit: text(`unit.${larger.unit}`, counted(larger.text)) }),
    );
  if (typed !== undefined) parts.push(text("typed", { text: typed }));
  if (later) parts.push(text("later"));
  const description = $("<dd>").css({ margin: "0", "overflow-wrap": "anywhere", "min-width": "0" });
  $("<span>").css("font-family", "monospace").text(parts.join(" ")).appendTo(description);
  if (problem) description.append(problemLine(problem));
  return $("<dt>").css("font-weight", "normal").text(name).add(description);
}

/** For singular or plural: an amount can be a fraction, or not known yet. */
function counted(amount: string): { count: number } {
  return { count: amount === "1" ? 1 : 2 };
}

function digestIn(text: Text, { digest, why }: Preview): JQuery {
  if (!digest) return $("<p>").text(why ?? "");
  const rows = pairs();
  for (const [name, value] of fieldsOf(text, digest)) rows.append(pair(text, name, { text: value }));
  return rows.add($("<p>").text(text("example")));
}

function fieldsOf(text: Text, { digest, domain, id, deadline }: PreviewedDigest): Array<[string, string]> {
  const until = deadline === "0" ? text("no-deadline") : new Date(Number(deadline) * 1000).toLocaleString();
  return [
    [text("digest"), digest],
    [text("domain"), `${domain.name} ${domain.version}`],
    [text("chain"), String(domain.chainId)],
    [text("wallet"), domain.verifyingContract],
    [text("id"), id],
    [text("deadline"), deadline === "0" ? until : `${deadline} (${until})`],
  ];
}

/** As a text node: the content of an ABI must not become HTML. */
function problemLine(sentence: string): JQuery {
  return $("<div>").css("color", "var(--red-ui-text-color-error)").text(sentence);
}
