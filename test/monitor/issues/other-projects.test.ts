import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import should from "should";
import { consumersElsewhere } from "../../../plugins/monitor/issues/checks/readers.ts";
import type { Issue } from "../../../plugins/monitor/types.ts";
import { eventually } from "../../support/eventually.ts";
import { harnessFlow } from "../../support/flow-harness.ts";
import { NodeRed, UserDir } from "../../support/node-red.ts";
import { channelNode, connectionNode, eventsInNode } from "../../support/nodes.ts";
import { flowEnvironment, startTestService } from "../../support/service.ts";

const JSON_BODY = { headers: { "Content-Type": "application/json" } };

/** A project as Node-RED stores it. */
async function addProject(folder: string, name: string, flows: unknown): Promise<void> {
  const path = join(folder, name);
  await mkdir(path, { recursive: true });
  const about = { name, "node-red": { settings: { flowFile: "flow.json", credentialsFile: "cred.json" } } };
  await writeFile(join(path, "package.json"), JSON.stringify(about));
  await writeFile(join(path, "flow.json"), typeof flows === "string" ? flows : JSON.stringify(flows));
}

describe("consumers of projects that are not open", () => {
  let userDir: string;
  before(async () => {
    userDir = await mkdtemp(join(tmpdir(), "crec-projects-"));
  });
  after(() => rm(userDir, { recursive: true, force: true }));

  const RED = (projects: object, open?: string) =>
    ({
      settings: { userDir, editorTheme: { projects }, get: () => open && { activeProject: open } },
    }) as unknown as NodeAPI;
  const found = async (api: NodeAPI, startedAt = 1) => [
    ...(await consumersElsewhere(api.settings as object, startedAt)),
  ];

  it("are none without projects, and without a folder for them", async () => {
    should(await found(RED({}))).be.empty();
    should(await found(RED({ enabled: true, path: join(userDir, "nowhere") }), 0)).be.empty();
  });

  it("are those of their events in nodes, where there are flows to read", async () => {
    const folder = join(userDir, "projects");
    const reader = (consumer: string) => eventsInNode({ consumer });
    await addProject(folder, "open", [reader("own")]);
    await addProject(folder, "other", [reader("theirs"), { ...reader(""), type: "inject" }, reader("")]);
    await addProject(folder, "damaged", "[");
    await writeFile(join(folder, "no project"), "");
    should(await found(RED({ enabled: true }, "open"))).deepEqual([["theirs", "other"]]);
    // Read again once the flows start anew.
    await addProject(folder, "other", [reader("new")]);
    should(await found(RED({ enabled: true }, "open"))).deepEqual([["theirs", "other"]]);
    should(await found(RED({ enabled: true }, "open"), 2)).deepEqual([["new", "other"]]);
  });
});

describe("two projects of one Node-RED", function () {
  this.timeout(120_000);

  it("are named where they have a consumer in common, in both", async () => {
    const [service, userDir] = await Promise.all([startTestService(), UserDir.make()]);
    let nodeRed: NodeRed | undefined;
    try {
      const flows = (id: string) =>
        harnessFlow(
          [connectionNode(service.ready, { credentials: undefined }), channelNode({ createMissing: true })],
          [[eventsInNode({ id, consumer: "payments", verify: false }), 2]],
        );
      const names = ["first", "second"];
      const projects = Object.fromEntries(names.map((name) => [name, { credentialSecret: false }]));
      for (const name of names) {
        const folder = join(userDir.path, "projects");
        await addProject(folder, name, flows(`reader-of-${name}`));
        execFileSync("git", ["init", "--quiet"], { cwd: join(folder, name) });
      }
      const opened = { projects, activeProject: "first" };
      await writeFile(join(userDir.path, ".config.projects.json"), JSON.stringify(opened));
      const running = await NodeRed.start(userDir, flowEnvironment(service.ready) as Record<string, string>, {
        define: ["editorTheme.projects.enabled=true"],
      });
      nodeRed = running;
      const issues = async () => {
        const answer = await running.fetch("crec/monitor/issues/run", {
          method: "POST",
          ...JSON_BODY,
          body: "{}",
        });
        const told = (await answer.json()) as { issues?: Issue[] };
        return told.issues ?? [];
      };
      const isNamed = (project: string, id: string) =>
        eventually(`an issue that names ${project}`, async () =>
          (await issues()).some(({ what, origin }) => what.includes(`"${project}"`) && origin.node === id),
        );
      await isNamed("second", "reader-of-first");
      const opening = await running.fetch("projects/second", {
        method: "PUT",
        ...JSON_BODY,
        body: JSON.stringify({ active: true }),
      });
      should(opening.ok).be.true();
      await isNamed("first", "reader-of-second");
    } finally {
      await nodeRed?.kill();
      await service.close();
      await userDir.remove();
    }
  });
});
