import should from "should";
import { Tickets } from "../../../plugins/monitor/push/register.ts";

describe("tickets of sidebars", () => {
  let now = 0;
  const tickets = new Tickets(() => now);

  it("are valid once", () => {
    const ticket = tickets.issue();
    should(tickets.redeem(ticket)).be.true();
    should(tickets.redeem(ticket)).be.false();
    should(tickets.redeem("undefined")).be.false();
  });

  it("are valid for half a minute", () => {
    const [one, other] = [tickets.issue(), tickets.issue()];
    now += 29_999;
    should(tickets.redeem(one)).be.true();
    now += 1;
    should(tickets.redeem(other)).be.false();
  });

  it("are forgotten, the oldest first, where nobody uses them", () => {
    const first = tickets.issue();
    const last = Array.from({ length: 200 }, () => tickets.issue()).at(-1);
    should(tickets.redeem(first)).be.false();
    should(tickets.redeem(String(last))).be.true();
  });
});
