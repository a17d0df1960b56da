import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Page } from "playwright-core";
import should from "should";
import { ACTIVITY_SETTINGS } from "../support/activity.ts";
import { hasBrowser, sharedBrowser } from "../support/browser.ts";
import { NodeRed, UserDir } from "../support/node-red.ts";
import * as of from "../support/sidebar.ts";

/** One address for a Node-RED that gets another port at each start. */
class Address {
  readonly #server = createServer((socket) => this.#join(socket));
  readonly #sockets = new Set<Socket>();
  port: number | undefined;

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(socket: Socket): void {
    const other = this.port === undefined ? undefined : connect(this.port, "127.0.0.1");
    this.#sockets.add(socket);
    const end = () => {
      this.#sockets.delete(socket);
      socket.destroy();
      other?.destroy();
    };
    for (const one of [socket, other]) one?.on("error", end).on("close", end);
    if (other) socket.pipe(other).pipe(socket);
    else end();
  }
}

describe("the sidebar after a restart of Node-RED", function () {
  this.timeout(120_000);
  const address = new Address();
  let userDir: UserDir;
  let nodeRed: NodeRed;
  let page: Page;

  before(async function () {
    if (!hasBrowser()) return this.skip();
    userDir = await UserDir.make();
    const url = await address.listen();
    await start();
    await nodeRed.deploy(of.FLOWS);
    page = await (await (await sharedBrowser()).newContext()).newPage();
    await page.goto(url);
    await page.locator("#red-ui-header-toolbar:not(.hide)").waitFor();
  });

  after(async () => {
    await page?.context().close();
    await nodeRed?.kill();
    await address.close();
    await userDir?.remove();
  });

  async function start(): Promise<void> {
    nodeRed = await NodeRed.start(userDir, {}, { settings: ACTIVITY_SETTINGS });
    address.port = Number(new URL(nodeRed.url).port);
  }

  it("is live again by itself, with what there is then", async () => {
    const sidebar = new of.Sidebar({ page });
    await sidebar.open();
    await of.tell({ nodeRed }, of.event(1, { name: "Before" }));
    await sidebar.row("events", "Before").waitFor();

    address.port = undefined;
    await nodeRed.kill();
    await start();
    // It listens before its flows run, which a deploy awaits. Other flows than those that it starts by itself: these have
    // the same revision, and may be said to run while they are being replaced.
    await nodeRed.deploy([...of.FLOWS, { id: "more", type: "tab", label: "more" }]);
    await of.tell({ nodeRed }, of.event(1, { name: "After" }));
    await sidebar.row("events", "After").waitFor({ timeout: 60_000 });
    should(await sidebar.row("events", "Before").count()).equal(0);
    await of.tell({ nodeRed }, of.event(2, { name: "Later" }));
    await sidebar.row("events", "Later").waitFor();
  });
});
