import { dirname, resolve } from "node:path";
import { chooseFlows } from "../parent/flows/choose.ts";
import { fitToFile } from "../parent/flows/fit-to-file.ts";
import { folderOfPackage, nodeRedOf } from "../parent/installed-node-red.ts";
import { makeJob } from "../parent/make-job.ts";
import { startRehearsal } from "../parent/run.ts";
import { type Differences, differencesInWords, differencesOf, isEmpty } from "../report/differences.ts";
import { type Expectations, expectationsOf, expectationsText } from "../report/expectations.ts";
import { htmlOf } from "../report/html.ts";
import { unmet } from "../report/unmet.ts";
import { counted, plain } from "../report/words.ts";
import type { FlowNode, TickedModule } from "../shared/job.ts";
import type { Report } from "../shared/report.ts";
import { type Command, CommandProblem } from "./command-line.ts";
import {
  readContext,
  readExpectations,
  readFlows,
  readReplies,
  readReport,
  tabIdsOf,
  write,
} from "./files.ts";
import { readRecorded } from "./recorded.ts";
import { type Output, shortened, summaryOf } from "./summary.ts";

type Surroundings = { packageFolder: string; workRoot: string; output: Output; signal: AbortSignal };

/** A rehearsal of flows of a file. @returns whether all is as expected: 0, or 1 */
export async function rehearse(command: Command, surroundings: Surroundings): Promise<0 | 1> {
  const { output } = surroundings;
  // Before anything runs: a wrong file is said at once.
  const expected = command.expect === undefined ? undefined : await readExpectations(command.expect);
  const before = command.compare === undefined ? undefined : await readReport(command.compare);
  const report = await run(command, expected, surroundings);
  const differences = before && differencesOf(before, report);
  for (const line of summaryOf(report)) output.say(line);
  await writeFiles(command, report, differences);
  const isAsBefore = differences === undefined || sayDifferences(differences, output);
  const isExpected = expected === undefined || sayUnmet(expected, report, output);
  return isAsBefore && isExpected ? 0 : 1;
}

async function run(
  command: Command,
  expected: Expectations | undefined,
  { packageFolder, workRoot, output, signal }: Surroundings,
): Promise<Report> {
  const nodeRedFolder = command.nodeRed ?? process.cwd();
  const nodeRed = nodeRedOf(nodeRedFolder);
  const flows = await readFlows(command.flow);
  const names = command.tabs.length > 0 ? command.tabs : (expected?.run.tabs.map(({ id }) => id) ?? []);
  const asWritten = chooseFlows(flows, tabIdsOf(flows, names));
  const recorded = await readRecorded(command.events, {
    from: command.from ?? (expected && Date.parse(expected.run.from)),
    to: command.to ?? (expected && Date.parse(expected.run.to)),
  });
  const fitted = recorded.only && fitToFile(asWritten.flows, recorded.only);
  const chosen = fitted
    ? { ...asWritten, flows: fitted.flows, notes: [...asWritten.notes, ...fitted.notes] }
    : asWritten;
  const isEmpty = (name: string): boolean => fitted?.filled.includes(name) !== true;
  sayUnset(unsetOf(chosen.variables, chosen.flows).filter(isEmpty), output);
  const job = makeJob({
    chosen,
    span: recorded.span,
    snapshot: recorded.snapshot,
    seed: command.seed ?? expected?.run.seed,
    timeZone: command.timeZone ?? expected?.run.timeZone ?? "UTC",
    modules: modulesOf(command.modules, command.nodeRed ?? dirname(command.flow)),
    context: command.context === undefined ? undefined : await readContext(command.context),
    replies: command.replies === undefined ? undefined : await readReplies(command.replies),
  });
  const rehearsal = startRehearsal({
    nodeRed,
    packageFolder,
    job,
    events: recorded.batches,
    workRoot,
    signal,
  });
  const report = await rehearsal.report;
  return { ...report, notes: [...chosen.notes, ...report.notes] };
}

async function writeFiles(command: Command, report: Report, differences?: Differences): Promise<void> {
  if (command.report !== undefined) await write(command.report, `${JSON.stringify(report, null, 1)}\n`);
  if (command.html !== undefined)
    await write(command.html, htmlOf(report, differences ? { differences } : {}));
  if (command.writeExpect !== undefined) {
    await write(command.writeExpect, expectationsText(expectationsOf(report, { exact: command.exact })));
  }
}

function sayDifferences(differences: Differences, { say }: Output): boolean {
  say("");
  say("Compared with the report before");
  for (const sentence of shortened(differencesInWords(differences))) say(`  ${sentence}`);
  return isEmpty(differences);
}

function sayUnmet(expected: Expectations, report: Report, { say }: Output): boolean {
  const sentences = unmet(expected, report);
  say("");
  say(
    sentences.length === 0 ? "As expected." : `Not as expected: ${counted(sentences.length, "difference")}`,
  );
  for (const sentence of shortened(sentences)) say(`  ${sentence}`);
  return sentences.length === 0;
}

/** The variables that fields name, and that neither the environment nor a tab or subflow has. */
function unsetOf(variables: readonly string[], flows: readonly FlowNode[]): string[] {
  const own = new Set(
    flows.flatMap(({ env }) => (Array.isArray(env) ? env : [])).map((variable) => variable?.name as unknown),
  );
  return variables.filter(
    (name) => process.env[name] === undefined && !own.has(name) && !name.startsWith("NR_"),
  );
}

function sayUnset(names: readonly string[], { warn }: Output): void {
  if (names.length === 0) return;
  const list = names.map((name) => plain(name)).join(", ");
  warn(`Not set in the environment, so empty in the flow: ${list}. Set them if the flow needs them.`);
}

/** Installed palettes, as a module in the folder finds them. @throws CommandProblem when one is not installed */
function modulesOf(names: readonly string[], folder: string): TickedModule[] {
  return names.map((name) => {
    const found = folderOfPackage(name, resolve(folder));
    if (found !== undefined) return { name, folder: found };
    throw new CommandProblem(
      `The palette ${name} is not installed. Install it in the project: npm install ${name}.`,
    );
  });
}
