import should from "should";
import { digestOf, ecdsaSigner, getAddress } from "../chain.ts";
import { finalizing, operationsPath, seconds, statusEvents, statuses } from "../operations.ts";
import { table } from "../row.ts";
import { UUID } from "../world.ts";

export const { rows, row } = table();

row(
  "S3 C3",
  "without a signature it is a draft: pending_signature, as it was sent",
  ["wallet"],
  async (world) => {
    const { operation, body } = await world.draft({ deadline: seconds() + 3600 });
    should(operation.operation_id).match(UUID);
    should(operation.status).equal("pending_signature");
    should(operation.signature).be.null();
    for (const field of ["chain_selector", "wallet_operation_id", "deadline"]) {
      should(operation[field]).equal(body[field]);
    }
    should(operation.address).equal(getAddress(body.address));
    should(operation.transactions).containDeep(body.transactions);
    should(operation.initiator).have.properties(["subject_type", "subject_id"]);
    if (operation.digest !== undefined)
      should(operation.digest).equal(digestOf(body, world.network.chain_id));
  },
);

row("C2 C7", "previews of a draft are kept as a snapshot", ["wallet"], async (world) => {
  const [call] = (await world.newOperation()).transactions;
  const preview = { function_signature: "transfer(address,uint256)", metadata: { amount: "5" } };
  const { operation } = await world.draft({ transactions: [{ ...call, preview }, call] });
  should(operation.transactions[0].preview_snapshot).containDeep(preview);
  should(operation.transactions[1].preview_snapshot).be.undefined();
  const path = await operationsPath(world);
  for (const wrong of [{}, { function_signature: 5 }, "transfer", { ...preview, metadata: "x" }]) {
    const transactions = [{ ...call, preview: wrong }];
    await world.invalid("POST", path, await world.newOperation({ transactions }));
  }
});

row(
  "S3 C2",
  "a draft is finalized with signature and digest, and then relayed",
  ["wallet"],
  async (world) => {
    const draft = await world.draft({ deadline: seconds() + 3600 });
    const change = await finalizing(world, draft);
    const accepted = await world.expect(200, "PATCH", draft.path, change);
    should(accepted.status).equal("accepted");
    should(accepted.signature.toLowerCase()).equal(change.signature);
    should(Number.isInteger(accepted.signed_at)).be.true();
    should(accepted.signer).have.properties(["subject_type", "subject_id"]);
    await world.conflict("OPERATION_NOT_FINALIZABLE", "PATCH", draft.path, change);
    await world.conflict("OPERATION_NOT_CANCELLABLE", "PATCH", draft.path, { status: "cancelled" });
    await world.status(draft.path, "confirmed_latest", "confirmed_safe", "confirmed");
    statuses(await statusEvents(world, draft.operation.operation_id))
      .slice(0, 2)
      .should.eql(["pending_signature", "accepted"]);
  },
);

row(
  "C2",
  "a finalize must be of this draft, by a signer of its wallet, and say no more",
  ["wallet"],
  async (world) => {
    const draft = await world.draft();
    const right = await finalizing(world, draft);
    const stranger = await ecdsaSigner().sign(draft.body, world.network.chain_id);
    for (const change of [
      { ...right, digest: `0x${"12".repeat(32)}` },
      { ...right, signature: stranger },
      { ...right, digest: undefined },
      { ...right, signature: undefined },
      { ...right, status: undefined },
      { ...right, status: "sent" },
      { ...right, deadline: 5 },
      { status: "cancelled", digest: right.digest },
      { status: "accepted" },
      {},
    ]) {
      await world.invalid("PATCH", draft.path, change);
    }
    should((await world.get(draft.path)).status).equal("pending_signature");
  },
);

row("S3 C2", "a draft is cancelled, for good", ["wallet"], async (world) => {
  const draft = await world.draft();
  const cancelled = await world.expect(200, "PATCH", draft.path, { status: "cancelled" });
  should(cancelled.status).equal("cancelled");
  should(Number.isInteger(cancelled.cancelled_at)).be.true();
  should(cancelled.canceller).have.properties(["subject_type", "subject_id"]);
  await world.conflict("OPERATION_NOT_CANCELLABLE", "PATCH", draft.path, { status: "cancelled" });
  await world.conflict("OPERATION_NOT_FINALIZABLE", "PATCH", draft.path, await finalizing(world, draft));
  statuses(await statusEvents(world, draft.operation.operation_id)).should.eql([
    "pending_signature",
    "cancelled",
  ]);
});

row("C4", "from 60 s before its deadline a draft cannot be finalized", ["wallet"], async (world) => {
  const late = await world.draft({ deadline: seconds() + 50 });
  const answer = await world.call("PATCH", late.path, await finalizing(world, late));
  if (answer.status === 200) should(answer.body.status).equal("expired");
  else
    should(answer).containDeep({
      status: 409,
      body: { type: "CONFLICT", code: "OPERATION_DEADLINE_ELAPSED" },
    });
  const early = await world.draft({ deadline: seconds() + 75 });
  await world.expect(200, "PATCH", early.path, await finalizing(world, early));
});

row(
  "S3 S7",
  "a draft whose deadline has passed is expired, whether anybody asks for it or not",
  ["wallet"],
  async (world) => {
    const deadline = seconds() + 2;
    const [touched, untouched] = [await world.draft({ deadline }), await world.draft({ deadline })];
    // biome-ignore lint/plugin: the deadline has to pass
    await new Promise((resolve) => setTimeout(resolve, (deadline + 0.1) * 1000 - Date.now()));
    const answer = await world.call("PATCH", touched.path, await finalizing(world, touched));
    should([200, 409]).containEql(answer.status);
    should((await world.get(touched.path)).status).equal("expired");
    await world.status(untouched.path, "expired");
    for (const { operation } of [touched, untouched]) {
      statuses(await statusEvents(world, operation.operation_id)).should.eql([
        "pending_signature",
        "expired",
      ]);
    }
    await world.conflict("OPERATION_NOT_CANCELLABLE", "PATCH", touched.path, { status: "cancelled" });
  },
);
