import type { AdaptResult } from '../../models/indexing/adapt-service';
import type { BuildResult } from '../../models/indexing/build-service';
import type { Pruned, Switched } from '../../models/indexing/promotion-service';
import type { EmbeddingsStatus, VersionStatus } from '../../models/indexing/status-service';
import { asTable } from './output';

/** The build in words, with its proof. */
export function describeBuild(result: BuildResult): string {
  const { model, version, images, embedded, failed, pending, seconds } = result;
  return [
    `${model} (version ${version}): ${images} images - ${embedded} embedded - ${failed} failures = ${pending}, in ${seconds} s`,
    ...result.failures.map(({ image, reason }) => `not embedded: ${image}: ${reason}`),
    ...(failed > result.failures.length ? [`not embedded: ${failed - result.failures.length} more`] : []),
    ...(failed > 0 ? ['--resume --retry-failures tries them again'] : []),
    ...(result.state === 'building' ? [`next: loupe embeddings evaluate --model ${model}`] : []),
  ].join('\n');
}

/** The fit in words, then the version as a build. */
export function describeAdapted(result: AdaptResult): string {
  const { several, products, pictures, validation, shrinkage, power } = result;
  return [
    `fitted on ${products} of ${several} products with several pictures (${pictures} pictures), shrinkage ${shrinkage}, power ${power}`,
    `cross-validation on ${validation.queries} pictures: mean reciprocal place of the nearest other picture of the product ${validation.before.toFixed(3)} before, ${validation.after.toFixed(3)} after`,
    describeBuild(result),
  ].join('\n');
}

/** What could be done for a catalog with so many products that have several pictures. */
export const adaptableText = (products: number): string =>
  `could be adapted: ${products} products have several pictures; loupe embeddings adapt`;

/** The status as text. */
export function describeStatus(status: EmbeddingsStatus): string {
  const lines = [
    `${status.model} (version ${status.version}): ${status.done} done, ${status.pending} pending, ${status.failed} failed`,
  ];
  if (status.adaptable !== null) lines.push(adaptableText(status.adaptable));
  if (status.versions.length > 1) {
    lines.push(
      asTable(
        ['version', 'model', 'state', 'done', 'pending', 'failed', 'index', 'evaluated', 'new images'],
        status.versions.map((each) => [
          each.version,
          each.model,
          stateInWords(each, status.rollback),
          each.done,
          each.pending,
          each.failed,
          each.indexed ? 'yes' : 'missing',
          each.evaluated ? 'yes' : 'no',
          each.maintained ? 'are embedded' : 'are not embedded',
        ]),
      ),
    );
  }
  for (const { version, image, reason } of status.failures) {
    lines.push(`version ${version}: not embedded: ${image}: ${reason}`);
  }
  const shown = status.failures.length;
  const failed = status.versions.reduce((sum, each) => sum + each.failed, 0);
  if (failed > shown) lines.push(`… of ${failed} failures in all`);
  return lines.join('\n');
}

function stateInWords({ state, built, maintained }: VersionStatus, rollback: string | null): string {
  if (state === 'building') return built ? 'built' : 'building';
  if (state === 'retired') return maintained && rollback !== null ? 'retired (rollback)' : 'retired';
  return state;
}

/** What is live now, after what was overruled. */
export function describeSwitch({ model, version, previous, recalibrated, overruled }: Switched): string {
  const lines = overruled.map((fault) => `overruled: ${fault}`);
  if (recalibrated) {
    return `${model} (version ${version}) answers with the calibration of before; loupe embeddings rollback takes that back`;
  }
  if (previous === null) return [...lines, `${model} (version ${version}) is live already`].join('\n');
  return [
    ...lines,
    `${model} (version ${version}) is live; loupe embeddings rollback goes back to ${previous}`,
  ].join('\n');
}

/** What was dropped and what was kept. */
export function describePruned({ pruned, kept }: Pruned): string {
  const lines = pruned.map((name) => `dropped ${name}`);
  if (pruned.length === 0) lines.push('nothing to drop');
  return [...lines, ...kept.map((name) => `kept ${name}`)].join('\n');
}
