/** Style sheets are imported for the bundler; they have no exports. */
declare module '*.css';
