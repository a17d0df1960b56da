import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import should from "should";
import { helpText } from "../../service/src/command-line.ts";
import type { RunningService } from "../../service/src/index.ts";
import { startTestService } from "../support/service.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/local-service.md", import.meta.url)), "utf8");
const shell = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text).join("");
const lines = shell.split("\n");
const calls = lines.flatMap((line, index) =>
  line.startsWith("curl ") ? [{ line, promised: lines[index + 1]?.replace(/^# → /, "") ?? "" }] : [],
);

/** A file of a scenario has some megabytes. */
const LARGEST_ANSWER = 32 * 1024 * 1024;

const hasCurl = spawnSync("sh", ["-c", "curl --version"], { stdio: "ignore" }).status === 0;

describe("what docs/local-service.md says", function () {
  this.timeout(120_000);
  let service: RunningService;

  before(async () => {
    service = await startTestService();
  });
  after(() => service?.close());

  const skipped = hasCurl ? "" : " (not run: there is no curl here)";
  (hasCurl ? it : it.skip)(`comes true, line by line, in a shell${skipped}`, async () => {
    const settings = lines
      .filter((line) => /^[A-Z_]+=/.test(line))
      .map((line) => line.replace(/^BASE_URL=.*/, `BASE_URL=${service.ready.base_url}`));
    const untrue: string[] = [];
    for (const { line, promised } of calls) {
      const script = [...settings, line.replace(/^curl /, `curl -sS -w '\\n%{http_code}' `)].join("\n");
      const { stdout } = await promisify(execFile)("sh", ["-c", script], { maxBuffer: LARGEST_ANSWER });
      const [body = "", status = ""] = stdout.split(/\n(?=\d+$)/);
      if (!matches(`${status} ${body}`, promised)) untrue.push(`${line}\n  ${status} ${body}`);
    }
    should(untrue).be.empty();
    should(calls.length).be.above(20);
  });

  it("names every option of the command, and no other", () => {
    const named = new Set(page.match(/^\| `(--[a-z-]+)`/gm)?.map((row) => row.slice(3, -1)));
    const flags =
      helpText()
        .match(/^ {2}--[a-z-]+/gm)
        ?.map((flag) => flag.trim()) ?? [];
    should([...named, "--help"].sort()).eql(flags.sort());
    const defaults = [...helpText().matchAll(/^ {2}--([a-z-]+).*\bdefault ([^;)]+)/gm)];
    const untrue = defaults.filter(
      ([, flag, value]) => !new RegExp(`^\\| \`--${flag}\` \\|[^|]*\\| \`?${value}\`? \\|`, "m").test(page),
    );
    should(untrue.map(([line]) => line)).be.empty();
    should(defaults.length).be.above(6);
    const variables = helpText().match(/CREC_[A-Z_]+/g) ?? [];
    should(variables.filter((variable) => !page.includes(`\`${variable}\``))).be.empty();
  });
});

/** `…` stands for anything. */
function matches(text: string, promised: string): boolean {
  const parts = promised.split("…").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^]*")}$`).test(text);
}
