import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import should from "should";
import { builtWithTypes } from "../support/built.ts";
import { ProgramFolder } from "../support/program.ts";

const types = fileURLToPath(new URL("../../dist/types", import.meta.url));

/** What editors and compilers of others see. */
describe("the types of the package", function () {
  this.timeout(120_000);

  before(builtWithTypes);

  it("hold no any, and name nothing of another package", () => {
    const files = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.d\.m?ts$/.test(file),
    );
    should(files.length).be.above(20);
    for (const file of files) {
      const text = readFileSync(join(types, file), "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
      should(text.match(/.*\bany\b.*/g) ?? []).deepEqual([], file);
      const foreign = [...text.matchAll(/(?:from |import\()"([^."][^"]*)"/g)].map((match) => match[1]);
      should(foreign).deepEqual([], file);
    }
  });

  it("know today's statuses, and take those of tomorrow", async () => {
    const folder = await ProgramFolder.make({ "program.mts": PROGRAM });
    try {
      should(await folder.check("program.mts")).equal("");
    } finally {
      await folder.remove();
    }
  });
});

const PROGRAM = `
import type { ChannelEvent, CrecClient, Operation, OperationStatus, Open } from "@crec-nodes/node-red-crec";

export async function run(client: CrecClient, operation: Operation, event: ChannelEvent): Promise<void> {
  const status: Open<OperationStatus> = operation.status;
  if (status === "confirmed" || status === "a status of tomorrow") return;
  if (event.headers.type === "a type of tomorrow") return;
  await client.operations.list("a", { status: ["confirmed", "a status of tomorrow"] });
  await client.events.search("a", { type: ["watcher.event", "a type of tomorrow"] });
  // What may be left out may be undefined, however strict the program.
  const limit: number | undefined = status.length > 3 ? 5 : undefined;
  await client.channels.list({ name: undefined, limit }, { signal: undefined });
  await client.events.poll("a", { offset: undefined, limit });
  // What can be waited for is known, and a mistyped target is an error.
  await client.operations.waitFor("a", "b", { target: "confirmed_safe" });
  // @ts-expect-error
  await client.operations.waitFor("a", "b", { target: "confirmd" });
}
`;
