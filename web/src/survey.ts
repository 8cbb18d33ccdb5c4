// Looks at every open file for the overview, one after the other, in a worker of its own, so that the view of a file does not
// wait. Only the directories of archives are read in the worker of the view: the list shows them too.
import type { Client, Handle } from './client';
import type { Files, Item } from './files';
import { type Current, Latest, Outdated } from './latest';
import type { Glance, LinkCounts } from './protocol';

/** The most files and members that are looked at, and the most bytes of one that is no archive. */
const mostLooked = 5000;
const mostBytes = 64 << 20;
/** Archives are looked into up to this many in each other: one can contain itself. */
const mostNested = 8;
/** The most missing references that are listed. */
const mostMissing = 200;

/** The findings so far. */
export class Findings {
  readonly formats = new Map<string, number>();
  /** Texts, pictures, sounds and all else. */
  others = 0;
  readonly damaged: { item: Item; why: string }[] = [];
  looked = 0;
  all = 0;
  /** Too large, or beyond the most that are looked at. */
  left = 0;
  /** Those of which reading failed. */
  failed = 0;
  /** Those whose references are not counted: a file after them ended the worker. */
  lost = 0;
  /** Archives in archives whose members were not looked at. */
  closedArchives = 0;
  links: LinkCounts | undefined;
  /** The survey has ended by itself, with a fault or without. */
  isDone = false;
}

export class Survey {
  findings = new Findings();
  /** Archives in archives are looked into, too. */
  isDeep = false;
  private readonly running: Latest;
  /** The worker that has the overview, and how many files it has taken in. */
  private generation = -1;
  private taken = 0;

  constructor(private readonly client: Client, private readonly files: Files, private readonly changed: () => void, failed: (error: unknown) => void) {
    this.running = new Latest(failed);
  }

  /** Starts again. */
  async run() {
    await this.running.run(async (current) => {
      const findings = new Findings();
      this.findings = findings;
      this.generation = -1;
      this.taken = 0;
      try {
        await this.lookAtAll(findings, current);
      } catch (error) {
        if (!(error instanceof Outdated)) this.end(findings);
        throw error;
      }
      this.end(findings);
    });
  }

  private async lookAtAll(findings: Findings, current: Current) {
    findings.all = this.files.items.length;
    this.changed();
    await this.begin(findings, current);
    for (const file of [...this.files.items]) await this.look(file, findings, current);
    await this.begin(findings, current);
    findings.links = await current(this.client.call('overview_links', mostMissing));
  }

  /** Begins the overview, if the worker does not have it: a file may have ended the worker before. */
  private async begin(findings: Findings, current: Current) {
    const { generation } = this.client;
    if (generation === this.generation) return;
    findings.lost += this.taken;
    this.taken = 0;
    await current(this.client.call('overview_begin'));
    this.generation = generation;
  }

  private end(findings: Findings) {
    findings.isDone = true;
    this.changed();
  }

  /** The user has seen enough, or left. */
  stop() {
    this.running.stop();
  }

  private async look(file: Item, findings: Findings, current: Current) {
    if (findings.looked >= mostLooked || (!file.children && file.bytes > mostBytes)) {
      findings.left += 1;
      return;
    }
    const handle = this.client.handle(file.file);
    try {
      await this.begin(findings, current);
      const node = await current(this.client.node(handle));
      const glance = await current(this.client.call('overview_add', node));
      this.count(file, glance, findings);
      if (glance.archive) await this.lookInto(file, handle, findings, current);
    } catch (error) {
      if (error instanceof Outdated) throw error;
      findings.failed += 1;
    } finally {
      this.client.forget(handle);
    }
  }

  private async lookInto(archive: Item, handle: Handle, findings: Findings, current: Current) {
    if (!archive.children) archive.children = [];
    await current(this.files.load(archive));
    const stack = [...(archive.children ?? [])].reverse();
    while (stack.length > 0) {
      const item = stack.pop()!;
      if (item.kind === 'folder') {
        for (let at = item.children!.length - 1; at >= 0; at--) stack.push(item.children![at]);
        continue;
      }
      findings.all += 1;
      if (findings.looked >= mostLooked || item.bytes > mostBytes) {
        findings.left += 1;
        continue;
      }
      await this.lookAtMember(item, handle, findings, current);
    }
  }

  private async lookAtMember(item: Item, archive: Handle, findings: Findings, current: Current) {
    const { generation } = this.client;
    let opening: Promise<number> | undefined;
    let isArchive = false;
    try {
      await this.begin(findings, current);
      // The number of the archive is another one after a restart.
      const node = await current(this.client.node(archive));
      opening = this.client.call('open_member', node, item.path.at(-1) as number);
      const glance = await current(this.client.call('overview_add', await current(opening)));
      this.count(item, glance, findings);
      isArchive = glance.archive;
    } catch (error) {
      if (error instanceof Outdated) throw error;
      findings.failed += 1;
    } finally {
      void this.close(opening, generation);
    }
    if (!isArchive) return;
    if (this.isDeep && item.path.length < mostNested) await this.lookIntoInner(item, findings, current);
    else findings.closedArchives += 1;
  }

  private async lookIntoInner(archive: Item, findings: Findings, current: Current) {
    const handle = this.client.handle(archive.file, archive.path);
    try {
      await this.lookInto(archive, handle, findings, current);
    } catch (error) {
      if (error instanceof Outdated) throw error;
      findings.failed += 1;
    } finally {
      this.client.forget(handle);
    }
  }

  /** Closes a member, also one whose opening ends after the survey. */
  private async close(opening: Promise<number> | undefined, generation: number) {
    const node = await opening?.catch(() => undefined);
    // In another worker the number means something else.
    if (node === undefined || generation !== this.client.generation) return;
    await this.client.call('close', node).catch(() => {});
  }

  private count(item: Item, { format, asset, errors, error, opened }: Glance, findings: Findings) {
    this.taken += 1;
    findings.looked += 1;
    if (format) findings.formats.set(format, (findings.formats.get(format) ?? 0) + 1);
    else findings.others += 1;
    if (asset && (!opened || errors > 0)) {
      findings.damaged.push({ item, why: error ?? '' });
      this.files.markDamaged(item, error ?? '');
    }
    this.changed();
  }
}
