import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import should from "should";
import { RunningExample } from "../support/example.ts";
import { Outlet } from "../support/outlet.ts";

type Entry = {
  operation: string;
  answer: string;
  who: string;
  when: number;
  status: string;
  transaction?: string;
};

const PAGE = "approvals";
const ANNA = { Authorization: `Basic ${Buffer.from("anna:a-long-secret").toString("base64")}` };
const BEN = { Authorization: `Basic ${Buffer.from("ben:another:long-one").toString("base64")}` };

describe("the example approve a payment on a web page", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let outlet: Outlet;
  let folder: string;
  const page = async (headers: Record<string, string> = ANNA) => {
    const response = await flow.nodeRed.fetch(PAGE, { headers });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const answer = (fields: Record<string, string>, headers: Record<string, string> = ANNA) =>
    flow.nodeRed.fetch(PAGE, {
      method: "POST",
      headers,
      body: new URLSearchParams(fields),
      redirect: "manual",
    });
  const tokens = (text: string) =>
    [...text.matchAll(/name="token" value="([^"]+)"/g)].map(([, token = ""]) => token);
  const kept = () =>
    (existsSync(join(folder, "approvals.jsonl")) ? readFileSync(join(folder, "approvals.jsonl"), "utf8") : "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Entry);
  const statusOf = async (operation: string) => {
    const path = `/channels/${await flow.channelId()}/operations/${operation}`;
    return (await flow.call<{ status: string }>("GET", path)).status;
  };
  /** Requests a payment, and returns the token of its form. */
  const requested = async () => {
    const before = tokens((await page()).text);
    await flow.pressed("Request 25 tokens", "asked");
    const [token = ""] = tokens((await page()).text).filter((one) => !before.includes(one));
    should(token).match(/^[\w-]{32}$/);
    return token;
  };

  before(async () => {
    [outlet, folder] = await Promise.all([Outlet.start(), mkdtemp(join(tmpdir(), "crec-approvals-"))]);
    flow = await RunningExample.start("20-payment-approval-page", {
      env: {
        ...{ APPROVERS: "anna:a-long-secret, ben:another:long-one, carl:short" },
        ...{ CREC_APPROVALS_FILE: join(folder, "approvals.jsonl"), ALERT_OUTLET: outlet.url("/chat") },
        ...{ APPROVAL_PAGE_URL: "https://node-red.example/approvals" },
      },
    });
    should(await flow.pressed("Set up", "ready")).match(/^0x[0-9a-fA-F]{40}$/);
  });
  after(async () => {
    await flow?.close();
    await outlet?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  it("shows nothing to those without a secret, nor to a secret that is too short", async () => {
    await flow.pressed("Request 25 tokens", "asked");
    const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString("base64")}` });
    for (const headers of [
      {},
      basic("anna:wrong"),
      basic("anna"),
      basic("carl:short"),
      basic("ben:a-long-secret"),
    ]) {
      const shown = await page(headers as Record<string, string>);
      should(shown.status).equal(401);
      should(shown.text).not.containEql("25");
      should(shown.headers.get("www-authenticate")).startWith("Basic");
      should((await answer({ token: "x", answer: "yes" }, headers as Record<string, string>)).status).equal(
        401,
      );
    }
  });

  it("tells a person, with the address of the page", async () => {
    await requested();
    const [received] = await outlet.receiving(1);
    const message = JSON.parse(received?.body ?? "");
    should(message).have.properties({
      title: "A payment needs your approval",
      link: "https://node-red.example/approvals",
    });
    should(message.text).startWith("Pay 25 tokens of demo token (0x");
  });

  it("shows what will be signed in plain words, and what others wrote as text", async () => {
    await requested();
    const shown = await page();
    should(shown.status).equal(200);
    should(shown.text).match(/<li>Pay 25 tokens of demo token \(0x[0-9a-fA-F]{40}\) to 0x0{37}D20<\/li>/i);
    should(shown.text).containEql("Invoice 4711 of &#60;Garden &#38; Co&#62;").and.not.containEql("<Garden");
    should(shown.text).containEql("You are anna.");
    should(shown.headers.get("content-security-policy"))
      .containEql("default-src 'none'")
      .and.containEql("frame-ancestors 'none'");
    should(shown.headers.get("cache-control")).equal("no-store");
  });

  it("does nothing for a request without the token of the page", async () => {
    const token = await requested();
    const [open, before] = [tokens((await page()).text), kept().length];
    for (const fields of [
      { answer: "yes" },
      { token: "guessed", answer: "yes" },
      { token, answer: "maybe" },
    ]) {
      should((await answer(fields as Record<string, string>)).status).equal(409);
    }
    should(tokens((await page()).text)).deepEqual(open);
    should(kept()).have.length(before);
  });

  it("pays after Yes, once, and keeps who and when", async () => {
    const token = await requested();
    const result = flow.next<Entry>("answered");
    const answers = await Promise.all([1, 2, 3].map(() => answer({ token, answer: "yes" })));
    should(answers.map(({ status }) => status).sort()).deepEqual([303, 409, 409]);
    const { operation, status, transaction } = await result;
    should(status).equal("paid (confirmed_latest)");
    should(transaction).match(/^0x[0-9a-f]{64}$/);
    const [decided, done] = kept().slice(-2);
    should(decided).have.properties({ operation, answer: "yes", who: "anna", status: "under way" });
    should(Math.abs(Number(decided?.when) - Date.now())).be.below(60_000);
    should(done).have.properties({ operation, who: "anna", status: "paid (confirmed_latest)" });
    should((await page()).text).match(/<b>Yes<\/b> by anna, .*paid \(confirmed_latest\)/);
  });

  it("pays nothing after No", async () => {
    const token = await requested();
    const result = flow.next<Entry>("answered");
    const response = await answer({ token, answer: "no" }, BEN);
    should(response.headers.get("location")).equal("approvals");
    const { operation } = await result;
    should(await statusOf(operation)).equal("cancelled");
    should(kept().at(-1)).have.properties({ operation, answer: "no", who: "ben", status: "declined" });
    should((await answer({ token, answer: "yes" })).status).equal(409);
    should(await statusOf(operation)).equal("cancelled");
  });

  it("says so when a draft can no longer be signed", async () => {
    const token = await requested();
    const { data } = await flow.call<{ data: Array<{ operation_id: string; status: string }> }>(
      "GET",
      `/channels/${await flow.channelId()}/operations?status=pending_signature`,
    );
    for (const { operation_id } of data) {
      await flow.call("PATCH", `/channels/${await flow.channelId()}/operations/${operation_id}`, {
        status: "cancelled",
      });
    }
    const result = flow.next<Entry>("answered");
    await answer({ token, answer: "yes" });
    should((await result).status).startWith("failed: ");
    should((await page()).text).containEql("failed: ");
  });

  it("opens for nobody if no approvers are set, and then for one person at once", async () => {
    const env = [{ name: "APPROVERS", value: "", type: "str" }];
    await flow.deploy(flow.flows.map((node) => (node.type === "tab" ? { ...node, env } : node)));
    should((await page()).status).equal(503);
    const said = String(await flow.pressed("Let me approve", "log in"));
    const [, secret = ""] = /log in as me with (\S{20})$/.exec(said) ?? [];
    const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString("base64")}` });
    should((await page()).status).equal(401);
    should((await page(basic(`me:${secret}`))).text).containEql("You are me.");
    await flow.deploy(flow.flows.map((node) => (node.type === "tab" ? { ...node, env } : node)));
    should((await page({ Authorization: `Basic ${Buffer.from(":").toString("base64")}` })).status).equal(503);
    await flow.deploy(flow.flows);
    should(flow.values("error")).be.empty();
  });
});
