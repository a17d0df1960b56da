// The keys, which begin with the namespace. Its braces keep them on one server where keys are spread over several.
//
//   {crec}:version          the version of what follows
//   {crec}:lease:KEY        a hash: epoch, state, revision (of the last save with this epoch), and while a copy has the
//                           lease: id, name, renewed, ends. It has no time to live, so that its epoch never goes back.
//   {crec}:once:[SCOPE,KEY] the first delivery, or nothing; and after a line break the digest, if there is one
//   {crec}:record:[SCOPE,KEY]
//                           a hash: revision, text
//   {crec}:records:SCOPE    a sorted set of [KEY, name] of the records of a scope, by the time until which they are kept
//   {crec}:kept             a sorted set of the keys of marks, records and lists of records, by the time until which each
//                           is kept: they have no time to live. Copies of an earlier version know no such set: they
//                           give these keys a time to live, which then counts, and see what is over until it is removed.
//   {crec}:members:GROUP    a sorted set of [id, name] of the copies, by the time until which they are alive. It is all
//                           that has a time to live, and may be lost: a lease that is held is not taken because of it,
//                           and each copy writes itself into it again when it renews its leases.

export const versionKey = (namespace: string) => `{${namespace}}:version`;
export const leaseKey = (namespace: string, key: string) => `{${namespace}}:lease:${key}`;
export const onceKey = (namespace: string, scope: string, key: string) =>
  `{${namespace}}:once:${JSON.stringify([scope, key])}`;
export const recordKey = (namespace: string, scope: string, key: string) =>
  `{${namespace}}:record:${JSON.stringify([scope, key])}`;
export const recordsKey = (namespace: string, scope: string) => `{${namespace}}:records:${scope}`;
export const keptKey = (namespace: string) => `{${namespace}}:kept`;
export const membersKey = (namespace: string, group: string) => `{${namespace}}:members:${group}`;
