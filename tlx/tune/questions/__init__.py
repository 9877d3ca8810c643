"""Questions to the database of tunings that take more than one view to answer."""
