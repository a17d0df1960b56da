import should from "should";
import { RunningExample } from "../support/example.ts";
import { WITH_E_MAIL } from "../support/node-red.ts";
import { SmtpServer } from "../support/smtp.ts";

describe("the example outlet for e-mail", function () {
  this.timeout(120_000);

  let flow: RunningExample;
  let smtp: SmtpServer;

  before(async () => {
    smtp = await SmtpServer.start();
    flow = await RunningExample.start("22-e-mail-outlet", {
      env: {
        ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(smtp.port) },
        ...{ SMTP_USER: "alerts@example.com", SMTP_PASSWORD: "the password" },
        ALERT_MAIL_TO: "anna@example.com, ben@example.com",
      },
      // The server of the test has no certificate.
      change: (flows) => flows.map((node) => (node.type === "e-mail" ? { ...node, secure: false } : node)),
      define: [WITH_E_MAIL],
    });
  });
  after(async () => {
    await flow?.close();
    await smtp?.close();
  });

  it("sends an alert to each address as plain text, and again while the server refuses it", async () => {
    // Sends an alert to each address.
    should(await flow.pressed("Send a sample", "accepted")).equal("A sample");
    const [mail] = smtp.mails;
    should(mail).have.properties({
      ...{ from: "alerts@example.com", user: "alerts@example.com" },
      to: ["anna@example.com", "ben@example.com"],
    });
    should(mail?.text).match(/^Subject: \[INFO\] A sample$/m);

    // Sends plain text, also of what looks like HTML.
    should(smtp.mails[0]?.text).match(/^Content-Type: text\/plain/m);
    should(smtp.mails[0]?.text).not.match(/text\/html/i);

    // Sends it again when the server refused it, until it is accepted.
    smtp.refuses = true;
    await flow.press("Send a sample");
    await flow.nodeRed.status(flow.id("e-mail"), ({ text }) => text === "email.status.sendfail");
    should(smtp.mails).have.length(1);
    const accepted = flow.next("accepted");
    smtp.refuses = false;
    await accepted;
    should(smtp.mails).have.length(2);

    should(flow.values("error")).be.empty();
    should(flow.nodeRed.heard).not.containEql("the password");
  });
});
