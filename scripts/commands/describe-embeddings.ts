import type { AdaptResult } from '../../models/indexing/adapt-service';
import type { BuildResult } from '../../models/indexing/build-service';
import type { Pruned, Switched } from '../../models/indexing/promotion-service';
import type { EmbeddingsStatus, VersionStatus } from '../../models/indexing/status-service';
import { asTable } from './terminal';

export function describeBuild(result: BuildResult): string {
  const { model, version, images, embedded, failed, pending, failures, state, seconds } = result;
  return [
    `${model} (version ${version}): ${images} images - ${embedded} embedded - ${failed} failures = ${pending}, in ${seconds} s`,
    ...failures.map(({ image, reason }) => `not embedded: ${image}: ${reason}`),
    ...(failed > failures.length ? [`not embedded: ${failed - failures.length} more`] : []),
    ...(failed > 0 ? ['--resume --retry-failures tries them again'] : []),
    ...(state === 'building' ? [`next: loupe embeddings evaluate --model ${model}`] : []),
  ].join('\n');
}

export function describeAdapted(result: AdaptResult): string {
  const { several, products, pictures, validation, shrinkage, power } = result;
  return [
    `fitted on ${products} of ${several} products with several pictures (${pictures} pictures), shrinkage ${shrinkage}, power ${power}`,
    `cross-validation on ${validation.queries} pictures: mean reciprocal place of the nearest other picture of the product ${validation.before.toFixed(3)} before, ${validation.after.toFixed(3)} after`,
    describeBuild(result),
  ].join('\n');
}

export const adaptableText = (products: number): string =>
  `could be adapted: ${products} products have several pictures; loupe embeddings adapt`;

export function describeStatus(status: EmbeddingsStatus): string {
  const { model, version, done, pending, failed, adaptable, versions, failures, rollback } = status;
  const allFailed = versions.reduce((sum, each) => sum + each.failed, 0);
  const rows = versions.map((each) => [
    ...[each.version, each.model, stateInWords(each, rollback), each.done, each.pending, each.failed],
    each.indexed ? 'yes' : 'missing',
    each.evaluated ? 'yes' : 'no',
    each.maintained ? 'are embedded' : 'are not embedded',
  ]);
  const head = ['version', 'model', 'state', 'done', 'pending', 'failed', 'index', 'evaluated', 'new images'];
  return [
    `${model} (version ${version}): ${done} done, ${pending} pending, ${failed} failed`,
    ...(adaptable === null ? [] : [adaptableText(adaptable)]),
    ...(versions.length > 1 ? [asTable(head, rows)] : []),
    ...failures.map((each) => `version ${each.version}: not embedded: ${each.image}: ${each.reason}`),
    ...(allFailed > failures.length ? [`… of ${allFailed} failures in all`] : []),
  ].join('\n');
}

function stateInWords({ state, built, maintained }: VersionStatus, rollback: string | null): string {
  if (state === 'building') return built ? 'built' : 'building';
  return state === 'retired' && maintained && rollback !== null ? 'retired (rollback)' : state;
}

export function describeSwitch({ model, version, previous, recalibrated, overruled }: Switched): string {
  const name = `${model} (version ${version})`;
  if (recalibrated) {
    return `${name} answers with the calibration of before; loupe embeddings rollback takes that back`;
  }
  return [
    ...overruled.map((fault) => `overruled: ${fault}`),
    previous === null
      ? `${name} is live already`
      : `${name} is live; loupe embeddings rollback goes back to ${previous}`,
  ].join('\n');
}

export const describePruned = ({ pruned, kept }: Pruned): string =>
  [
    ...(pruned.length === 0 ? ['nothing to drop'] : pruned.map((name) => `dropped ${name}`)),
    ...kept.map((name) => `kept ${name}`),
  ].join('\n');
