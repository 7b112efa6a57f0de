import { useState } from 'preact/hooks';

interface Props {
  readonly src: string | undefined;
  /** Empty where the name stands beside it. */
  readonly alt: string;
  readonly class?: string;
  /** Said in place of a picture that there is not, or that can't be shown. */
  readonly otherwise?: string;
  readonly eager?: boolean;
}

/** A square tile with a whole picture in it. */
export function Picture({ src, alt, class: name = '', otherwise = 'No picture', eager = false }: Props) {
  const [broken, setBroken] = useState<string>();
  return (
    <span class={`picture ${name}`}>
      {src === undefined || broken === src ? (
        <span class="none">{otherwise}</span>
      ) : (
        <img
          src={src}
          alt={alt}
          loading={eager ? 'eager' : 'lazy'}
          decoding="async"
          onError={() => setBroken(src)}
        />
      )}
    </span>
  );
}
